/* SPDX-License-Identifier: MIT */
/* arch/context.h for the host: contexts are tokens; context_switch() is the test's. */
#ifndef AMALGAM_ARCH_CONTEXT_H
#define AMALGAM_ARCH_CONTEXT_H

#include <types.h>

#define HAL_STACK_SIZE 16384u

struct context {
    void *sp;
};
struct fpu {
    void *area;
};

#endif
