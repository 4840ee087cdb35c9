/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (RISC-V) - what a core keeps for the architecture. */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

#define EMERGENCY_STACK 2048

struct arch_cpu {
    unsigned long hart;
    volatile u32 *bell;                          /* its register of the ACLINT's SSWI; NULL: by SBI */
    void *start_sp;                              /* where its stack begins */
    u8 emergency[EMERGENCY_STACK] __aligned(16); /* the report of a stack overflow */
};

#endif
