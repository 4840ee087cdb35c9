/* SPDX-License-Identifier: MIT */
/* arch/width.h (x86, 32 bits) - the rest of arch/cpu.h: what a processor without MFENCE does, and without x2APIC. */
#ifndef AMALGAM_ARCH_WIDTH_H
#define AMALGAM_ARCH_WIDTH_H

static inline void mp_fence(void) { __asm__ volatile("lock; addl $0, (%%esp)" ::: "memory", "cc"); }
/* Whether MSR_APIC_BASE exists: from the sixth family on. A Pentium's local APIC is enabled by a pin at reset. */
static inline bool apic_has_base(void) { return (cpuid(1, 0).eax >> 8 & 15) >= 6; }

#endif
