/* SPDX-License-Identifier: MIT */
/* arch/context.h (x86-64) - a suspended thread is its stack pointer; extended state is one XSAVE area. */
#ifndef AMALGAM_ARCH_CONTEXT_H
#define AMALGAM_ARCH_CONTEXT_H

#include <types.h>

struct context {
    void *sp;
};

struct fpu {
    void *area; /* XSAVE (or FXSAVE) image, 64-byte aligned */
    u64 xcr0;   /* what the owner has enabled; all zero-extended features are saved regardless */
};

#endif
