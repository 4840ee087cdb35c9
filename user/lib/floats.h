/* SPDX-License-Identifier: MIT */
/*
 * floats.h - the floating-point environment that a new thread gets from its creator (C17, 7.6): rounding, traps, and
 * the exceptions that were raised. The kernel starts a thread with zeros in its registers and the reset environment.
 */
#ifndef AMALGAM_USER_FLOATS_H
#define AMALGAM_USER_FLOATS_H

#include <stdint.h>

#if defined(__riscv)

struct floats {
    uint32_t fcsr;
};

static inline void floats_get(struct floats *f) { __asm__ volatile("frcsr %0" : "=r"(f->fcsr)); }
static inline void floats_set(const struct floats *f) { __asm__ volatile("fscsr %0" ::"r"(f->fcsr)); }

#else

struct floats {
    uint16_t control, status; /* of x87 */
#if defined(__SSE__)
    uint32_t mxcsr;
#endif
};

#define FLOATS_CONTROL 0x37fu /* after FNINIT, with status 0 */
#define FLOATS_RAISED  0x3fu  /* the exceptions in the status */

static inline void floats_get(struct floats *f)
{
    __asm__ volatile("fnstcw %0; fnstsw %1" : "=m"(f->control), "=m"(f->status));
#if defined(__SSE__)
    __asm__ volatile("stmxcsr %0" : "=m"(f->mxcsr));
#endif
}

static inline void floats_set(const struct floats *f)
{
    uint32_t image[7]; /* FNSTENV's: control, status, tags, then addresses */
    __asm__ volatile("fninit" ::: "memory");
    if (f->control != FLOATS_CONTROL || f->status & FLOATS_RAISED) {
        __asm__ volatile("fnstenv %0" : "=m"(image));
        image[0] = (image[0] & 0xffff0000) | f->control;
        image[1] = (image[1] & 0xffff0000) | (f->status & FLOATS_RAISED);
        __asm__ volatile("fldenv %0" ::"m"(image));
    }
#if defined(__SSE__)
    __asm__ volatile("ldmxcsr %0" ::"m"(f->mxcsr));
#endif
}

#endif
#endif
