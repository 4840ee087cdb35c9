/* SPDX-License-Identifier: MIT */
/* arch/context.h (RISC-V) - a suspended thread is its stack pointer; extended state: f0 to f31 and fcsr. */
#ifndef AMALGAM_ARCH_CONTEXT_H
#define AMALGAM_ARCH_CONTEXT_H

/* The build says the shift: arch.mk. */
#define HAL_STACK_SIZE (1 << HAL_STACK_SHIFT)

/* What a suspended thread has on its stack: ra, s0 to s11, and three words so that the stack stays aligned to 16. */
#define SAVED_WORDS 16

#ifndef __ASSEMBLY__
#include <types.h>

struct context {
    void *sp;
};

struct fpu {
    u64 *area; /* 33 of them */
};
#endif

#endif
