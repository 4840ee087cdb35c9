/* SPDX-License-Identifier: MIT */
/* arch/debug_registers.h - this core's DR0-3 and DR6, which neither VMRUN nor a VM entry switches. */
#ifndef AMALGAM_ARCH_X86_DEBUG_REGISTERS_H
#define AMALGAM_ARCH_X86_DEBUG_REGISTERS_H

#include <types.h>

static inline u64 read_dr6(void)
{
    u64 value;
    __asm__ volatile("mov %%dr6, %0" : "=r"(value));
    return value;
}
static inline void write_dr6(u64 value) { __asm__ volatile("mov %0, %%dr6" ::"r"(value)); }
static inline void read_dr0_3(u64 dr[4])
{
    __asm__ volatile("mov %%dr0, %0; mov %%dr1, %1; mov %%dr2, %2; mov %%dr3, %3"
                     : "=r"(dr[0]), "=r"(dr[1]), "=r"(dr[2]), "=r"(dr[3]));
}
static inline void write_dr0_3(const u64 dr[4])
{
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr1; mov %2, %%dr2; mov %3, %%dr3" ::"r"(dr[0]), "r"(dr[1]), "r"(dr[2]),
                     "r"(dr[3]));
}

#endif
