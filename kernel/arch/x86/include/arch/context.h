/* SPDX-License-Identifier: MIT */
/* arch/context.h (x86) - a suspended thread is its stack pointer; extended state is an XSAVE area. */
#ifndef AMALGAM_ARCH_CONTEXT_H
#define AMALGAM_ARCH_CONTEXT_H

#include <types.h>

#define HAL_STACK_SIZE 8192u

struct context {
    void *sp;
};

/* XCR0 in two halves, as the instructions take it. */
struct xcr {
    u32 low, high;
};

struct fpu {
    void *area;      /* XSAVE (or FXSAVE) image, 64-byte aligned */
    struct xcr xcr0; /* the features that the owner has enabled; all are saved anyway */
};

#endif
