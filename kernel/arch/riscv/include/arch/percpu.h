/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (RISC-V) - what a core keeps for the architecture. */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

#define EMERGENCY_STACK 2048

struct arch_cpu {
    unsigned long hart;
    volatile u32 *bell;                          /* its register of the ACLINT's SSWI; NULL: interrupts go by SBI */
    void *start_sp;                              /* the top of its first stack */
    u8 emergency[EMERGENCY_STACK] __aligned(16); /* the stack on which a stack overflow is reported */
};

#endif
