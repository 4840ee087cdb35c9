/* SPDX-License-Identifier: MIT */
/* asm_offsets.c - offsets of structure members, for assembly files (kernel/Makefile makes a header of them). */
#include <arch/user.h>
#include <core/cpu.h>
#include <stddef.h>

#define OFFSET(name, type, member) __asm__ volatile("\n->" #name " %0" ::"i"(offsetof(type, member)))

void offsets(void);
void offsets(void)
{
    OFFSET(CPU_START_SP, struct cpu, arch.start_sp);
    OFFSET(USER_KERNEL_SP, struct user, kernel_sp);
    OFFSET(USER_CPU, struct user, cpu);
    __asm__ volatile("\n->USER_FAST %0" ::"i"(USER_FAST));
    __asm__ volatile("\n->REPORT_BELOW %0" ::"i"(IDLE_DEPTH));
}
