/* SPDX-License-Identifier: MIT */
/* irqflags.h - waiting for an interrupt with interrupts on is one call: two instructions would leave a gap. */
#ifndef _AMALGAM_IRQFLAGS_H
#define _AMALGAM_IRQFLAGS_H
#define native_safe_halt hw_native_safe_halt
#define arch_safe_halt   hw_arch_safe_halt
#include_next <asm/irqflags.h>
#undef native_safe_halt
#undef arch_safe_halt
#ifndef __ASSEMBLY__
#include <asm/amalgam_calls.h>
static inline __cpuidle void native_safe_halt(void) { amalgam_idle(); }
static inline __cpuidle void arch_safe_halt(void) { native_safe_halt(); }
#endif
#endif
