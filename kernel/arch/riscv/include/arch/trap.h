/* SPDX-License-Identifier: MIT */
/* arch/trap.h (RISC-V) - the frame that cpu/traps.S builds for an interrupt or exception, and the C functions it
 * calls. */
#ifndef AMALGAM_ARCH_TRAP_H
#define AMALGAM_ARCH_TRAP_H

#include <types.h>

struct trap_frame {
    unsigned long x[32]; /* by register number; x[0] holds the program counter */
    unsigned long status, cause, value, unused;
};

_Static_assert(sizeof(struct trap_frame) == 36 * sizeof(long), "cpu/traps.S");

enum { X_RA = 1, X_SP = 2, X_GP = 3, X_TP = 4, X_S0 = 8, X_A0 = 10, X_A7 = 17 };

/* Codes of scause for exceptions (privileged architecture, 4.1.8). */
enum cause {
    CAUSE_ILLEGAL = 2,
    CAUSE_USER_CALL = 8,
    CAUSE_FETCH_PAGE = 12,
    CAUSE_LOAD_PAGE = 13,
    CAUSE_STORE_PAGE = 15,
};

struct cpu;

/* Let the calling hart take traps. tp must be set. */
void traps_init(void);
/* Called by traps.S, interrupts off. */
void trap_dispatch(struct trap_frame *f);
__noreturn void trap_overflow(const struct trap_frame *f);
/* Handle the interrupt with this code of scause. */
void trap_interrupt(unsigned long code);
const char *trap_name(unsigned long cause);
/* If the exception is a fault of user_copy(), let it return -EFAULT. Returns whether it was one (user/fault.c). */
bool trap_fixed(struct trap_frame *f);

#endif
