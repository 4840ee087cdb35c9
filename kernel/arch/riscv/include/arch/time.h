/* SPDX-License-Identifier: MIT */
/* arch/time.h (RISC-V) - the common counter is `time`. All harts see the same value (unprivileged architecture,
 * 10.1). */
#ifndef AMALGAM_ARCH_TIME_H
#define AMALGAM_ARCH_TIME_H

#include <arch/width.h>
#include <types.h>

static inline ticks_t time_now(void) { return read_time(); }

#endif
