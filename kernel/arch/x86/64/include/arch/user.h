/* SPDX-License-Identifier: MIT */
/* arch/user.h (x86-64) - a process's thread outside the kernel: the processor and user/entry.S store its registers
 * here. */
#ifndef AMALGAM_ARCH_USER_H
#define AMALGAM_ARCH_USER_H

#include <arch/trap.h>
#include <types.h>

#define USER_FAST_MAY_BLOCK 1 /* hal/user.h */

struct space;

struct user {
    struct trap_frame frame; /* the processor pushes to its end (TSS) */
    u64 fs_base;
    const struct space *space;
    const unsigned long *turns; /* how often the thread was given the core */
    unsigned long turn;         /* the value of *turns when its registers and space were loaded */
} __aligned(16);

_Static_assert(sizeof(struct trap_frame) % 16 == 0, "the processor aligns the stack to 16 before it pushes");

#define USER_RED_ZONE 128

struct user_context {
    struct trap_frame frame;
};

static inline u64 user_stack(const struct user *u) { return u->frame.rsp; }
static inline s64 user_result(const struct user *u) { return (s64)u->frame.rax; }

/* Return argument 0 to 5 of a call. */
static inline u64 user_argument(const struct user *u, unsigned n)
{
    const struct trap_frame *f = &u->frame;
    switch (n) {
    case 0: return f->rdi;
    case 1: return f->rsi;
    case 2: return f->rdx;
    case 3: return f->r10;
    case 4: return f->r8;
    default: return f->r9;
    }
}

static inline u64 user_wide_argument(const struct user *u, unsigned n) { return user_argument(u, n); }
static inline u64 user_number(const struct user *u) { return u->frame.rax; }
static inline void user_return(struct user *u, s64 result) { u->frame.rax = (u64)result; }

#endif
