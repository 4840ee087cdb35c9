/* SPDX-License-Identifier: MIT */
/* arch/user.h (RISC-V) - a thread outside the kernel: user/entry.S keeps its registers right here. */
#ifndef AMALGAM_ARCH_USER_H
#define AMALGAM_ARCH_USER_H

#include <arch/trap.h>
#include <types.h>

#define USER_FAST_MAY_BLOCK 0 /* hal/user.h: sstatus.SPP and x3 would be another thread's (user/entry.S) */

struct space;

struct user {
    struct trap_frame frame;
    unsigned long kernel_sp; /* while it is outside: the stack that user_enter() returns on */
    struct cpu *cpu;         /* and whose */
    const struct space *space;
    const unsigned long *turns; /* that the thread has had on the core */
    unsigned long turn;         /* of them the one in which its space was loaded */
} __aligned(16);

/* Argument 0 to 5 of a call: a0 to a5. */
static inline u64 user_argument(const struct user *u, unsigned n) { return u->frame.x[X_A0 + n]; }
static inline u64 user_number(const struct user *u) { return u->frame.x[X_A7]; }
static inline void user_return(struct user *u, s64 result) { u->frame.x[X_A0] = (unsigned long)result; }

#endif
