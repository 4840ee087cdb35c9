/* SPDX-License-Identifier: MIT */
/* arch/context.h (x86) - a suspended thread is its stack pointer; extended state is one XSAVE area. */
#ifndef AMALGAM_ARCH_CONTEXT_H
#define AMALGAM_ARCH_CONTEXT_H

#include <types.h>

#define HAL_STACK_SIZE 16384u

struct context {
    void *sp;
};

/* A control register in the halves that the instructions take. */
struct xcr {
    u32 low, high;
};

struct fpu {
    void *area;      /* XSAVE (or FXSAVE) image, 64-byte aligned */
    struct xcr xcr0; /* what the owner has enabled; all that there is is saved regardless */
};

#endif
