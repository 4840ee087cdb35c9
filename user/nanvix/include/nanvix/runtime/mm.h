/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/mm.h - all of the runtime that is about memory. */
#ifndef NANVIX_RUNTIME_MM_H_
#define NANVIX_RUNTIME_MM_H_

#include <nanvix/runtime/mm/manager.h>

#endif
