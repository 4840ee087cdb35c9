/* SPDX-License-Identifier: MIT */
/* runtime.h - what user/native/ asks of a library; this one is RCCE. */
#ifndef AMALGAM_USER_RCCE_RUNTIME_H
#define AMALGAM_USER_RCCE_RUNTIME_H

#include "../rcce.h"

#define NATIVE_OWN                /* a variable of each thread: a core has one */
#define NATIVE_CALLS (rcce.calls) /* the kernel's functions for the calling thread */

/* Return the time / let others run. Both work before RCCE_init(). */
static inline double native_seconds(void) { return RCCE_wtime(); }
static inline void native_rest(void) { rcce_rest(); }

#endif
