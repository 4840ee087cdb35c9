/* SPDX-License-Identifier: MIT */
/* arch/time.h for the host: time stands still until a test moves it. */
#ifndef AMALGAM_ARCH_TIME_H
#define AMALGAM_ARCH_TIME_H

#include <types.h>

extern ticks_t host_now;
static inline ticks_t time_now(void) { return host_now; }

#endif
