/* SPDX-License-Identifier: MIT */
/* arch/user.h (x86, 32 bits) - a process's thread outside the kernel: the processor and user/entry.S store its
 * registers here. */
#ifndef AMALGAM_ARCH_USER_H
#define AMALGAM_ARCH_USER_H

#include <arch/trap.h>
#include <types.h>

#define USER_FAST_MAY_BLOCK 1 /* hal/user.h */

struct space;

struct user {
    struct trap_frame frame;
    u32 esp, ss; /* the processor pushes from here down (TSS) */
    u32 gs_base;
    const struct space *space;
    const unsigned long *turns; /* how often the thread was given the core */
    unsigned long turn;         /* the value of *turns when its descriptors and space were loaded */
};

_Static_assert(offsetof(struct user, esp) == 52, "user/entry.S");

#define USER_RED_ZONE 0

struct user_context {
    struct trap_frame frame; /* with the program's stack pointer */
    u32 unused[3];
};

static inline u64 user_stack(const struct user *u) { return u->esp; }
static inline s64 user_result(const struct user *u) { return (s64)((u64)u->frame.edx << 32 | u->frame.eax); }

/* Return argument 0 to 5 of a call. */
static inline u64 user_argument(const struct user *u, unsigned n)
{
    const struct trap_frame *f = &u->frame;
    switch (n) {
    case 0: return f->ebx;
    case 1: return f->ecx;
    case 2: return f->edx;
    case 3: return f->esi;
    case 4: return f->edi;
    default: return f->ebp;
    }
}

/* A value of 64 bits takes two registers, the lower half first. */
static inline u64 user_wide_argument(const struct user *u, unsigned n)
{
    return user_argument(u, n + 1) << 32 | user_argument(u, n);
}
static inline u64 user_number(const struct user *u) { return u->frame.eax; }
static inline void user_return(struct user *u, s64 result)
{
    u->frame.eax = (u32)result;
    u->frame.edx = (u32)(result >> 32);
}

#endif
