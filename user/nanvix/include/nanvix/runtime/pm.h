/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/pm.h - all of the runtime that is about names, and mailboxes and portals by name. */
#ifndef NANVIX_RUNTIME_PM_H_
#define NANVIX_RUNTIME_PM_H_

#include <nanvix/runtime/pm/portal.h>

#endif
