/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/pm.h - all of the runtime that is about names, and mailboxes and portals by name. */
#ifndef NANVIX_RUNTIME_PM_H_
#define NANVIX_RUNTIME_PM_H_

#include <nanvix/runtime/pm/portal.h>

/* The process's own name, "" without one. nanvix_setpname() links it: -EBUSY: it has one; else as nanvix_name_link().
 */
extern const char *nanvix_getpname(void);
extern int nanvix_setpname(const char *name);

#endif
