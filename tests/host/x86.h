/* SPDX-License-Identifier: MIT */
/* x86.h - the x86 instructions that C cannot say, for ISA code on the host: answers that a test sets. */
#ifndef AMALGAM_TESTS_X86_H
#define AMALGAM_TESTS_X86_H

#include <arch/registers.h>
#include <types.h>

struct cpuid_regs {
    u32 eax, ebx, ecx, edx;
};
extern struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
extern u64 host_cr4;
static inline struct cpuid_regs cpuid(u32 leaf, u32 sub) { return host_cpuid(leaf, sub); }
static inline u64 read_cr4(void) { return host_cr4; }
static inline void xsetbv(u32 reg, u64 value) {} /* the test keeps its own extended state */

#endif
