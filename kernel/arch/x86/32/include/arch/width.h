/* SPDX-License-Identifier: MIT */
/* arch/width.h (x86, 32 bits) - the rest of arch/cpu.h, for processors without MFENCE and x2APIC. */
#ifndef AMALGAM_ARCH_WIDTH_H
#define AMALGAM_ARCH_WIDTH_H

static inline void mp_fence(void) { __asm__ volatile("lock; addl $0, (%%esp)" ::: "memory", "cc"); }
/* Whether MSR_APIC_BASE exists: it does from the sixth family on. A pin enables a Pentium's local APIC at reset. */
static inline bool apic_has_base(void) { return (cpuid(1, 0).eax >> 8 & 15) >= 6; }

#endif
