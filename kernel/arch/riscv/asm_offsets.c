/* SPDX-License-Identifier: MIT */
/* asm_offsets.c - offsets of structure members, for assembly files (kernel/Makefile makes a header of them). */
#include <arch/trap.h>
#include <core/cpu.h>
#include <stddef.h>

#define OFFSET(name, type, member) __asm__ volatile("\n->" #name " %0" ::"i"(offsetof(type, member)))

void offsets(void);
void offsets(void)
{
    OFFSET(CPU_START_SP, struct cpu, arch.start_sp);
    OFFSET(CPU_KERNEL_SP, struct cpu, arch.kernel_sp);
    OFFSET(CPU_USER, struct cpu, arch.user);
    OFFSET(CPU_EMERGENCY_END, struct cpu, arch.emergency[EMERGENCY_STACK]);
}
