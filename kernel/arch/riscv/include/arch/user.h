/* SPDX-License-Identifier: MIT */
/* arch/user.h (RISC-V) - a process's thread; user/entry.S saves its registers here. */
#ifndef AMALGAM_ARCH_USER_H
#define AMALGAM_ARCH_USER_H

#include <arch/trap.h>
#include <types.h>

#define USER_FAST_MAY_BLOCK 2 /* hal/user.h: user/entry.S saves more for what may block */
/* `fast` sees calls USER_FAST to USER_FAST + 15, without their arguments, and is compiled by itself, with arch-kept. */
#define USER_FAST 0x41500000

struct space;

struct user {
    struct trap_frame frame;
    unsigned long kernel_sp; /* while it runs in user mode: the stack on which user_enter() returns */
    struct cpu *cpu;         /* and the core whose stack that is */
    const struct space *space;
    const unsigned long *turns; /* times that the core has run the thread (the scheduler's count) */
    unsigned long turn;         /* the value of *turns when the address space was loaded last */
} __aligned(16);

/* Whether another thread has run since the address space was loaded. Interrupts off. */
static inline bool user_is_lost(const struct user *u) { return READ_ONCE(u->turn) != *u->turns; }

void user_load(struct user *u);

static inline void user_refresh(struct user *u)
{
    if (unlikely(user_is_lost(u)))
        user_load(u);
}

#define USER_RED_ZONE 0

struct user_context {
    unsigned long x[32]; /* as in struct trap_frame */
};

static inline u64 user_stack(const struct user *u) { return u->frame.x[X_SP]; }
static inline s64 user_result(const struct user *u)
{
    u64 high = sizeof(long) < sizeof(u64) ? u->frame.x[X_A0 + 1] : 0;
    return (s64)(high << 32 | u->frame.x[X_A0]);
}

/* Argument n (0 to 5) of a system call: a0 to a5. */
static inline u64 user_argument(const struct user *u, unsigned n) { return u->frame.x[X_A0 + n]; }
static inline u64 user_number(const struct user *u) { return u->frame.x[X_A7]; }

/* With 32 bits a value of 64 takes two registers, the lower half first. */
static inline u64 user_wide_argument(const struct user *u, unsigned n)
{
    u64 high = sizeof(long) < sizeof(u64) ? u->frame.x[X_A0 + n + 1] : 0;
    return high << 32 | u->frame.x[X_A0 + n];
}
static inline void user_return(struct user *u, s64 result)
{
    u->frame.x[X_A0] = (unsigned long)result;
    if (sizeof(long) < sizeof(result))
        u->frame.x[X_A0 + 1] = (unsigned long)(result >> 32);
}

#endif
