/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (RISC-V) - what a core keeps for the architecture. */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

/* A stack overflow is reported on the core's first stack, so far below its top: above it are the frames of the idle
 * thread, which does not run meanwhile. */
#define IDLE_DEPTH 1024

struct arch_cpu {
    unsigned long hart;
    volatile u32 *bell; /* its register of the ACLINT's SSWI; NULL: interrupts go by SBI */
    void *start_sp;     /* the top of its first stack, which becomes the idle thread's */
};

#endif
