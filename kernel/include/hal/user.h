/* SPDX-License-Identifier: MIT */
/*
 * hal/user.h - running a process's thread.  user_run() leaves the kernel and *returns*
 * with a decoded reason, as vcpu_run() does (hal/vcpu.h): the architecture never calls
 * into process/.
 *
 * <arch/user.h> defines `struct user`, and in line what a call is, after USER_CALL and in user_init()'s `fast`:
 * user_number(), user_argument(u, 0 to 5), and user_return(u, result).  USER_FAST_MAY_BLOCK is 1 if `fast` may block or
 * yield, and then call user_refresh() before it returns true.  `struct user` has the registers of one thread
 * outside the kernel. They are in nobody's reach but its own: what the last thread left in the processor is replaced
 * before another one runs.
 */
#ifndef AMALGAM_HAL_USER_H
#define AMALGAM_HAL_USER_H

#include <arch/user.h>
#include <hal/space.h>
#include <types.h>

enum user_reason {
    USER_IRQ,   /* an interrupt was taken, or this core was asked to look: nothing to do */
    USER_CALL,  /* user_number() says which */
    USER_FAULT, /* the program cannot go on; why, address */
};

struct user_exit {
    u8 reason;       /* enum user_reason */
    const char *why; /* FAULT: what happened */
    u64 address;     /* FAULT on memory: which; else 0 */
};

/* Once, before any other; boot. `fast` is shown each call first, on the caller's core with interrupts off: true, it has
 * settled it, in some tens of instructions. */
void user_init(bool (*fast)(struct user *u));
/*
 * Registers of a thread that begins at `entry` with `arg` as its argument, on `stack`, with thread pointer `tp`; all
 * are users' addresses (space_is_user) but `arg`, and `tp` may be 0. `turns` has another value whenever another thread
 * had the core since (thread.switches): it is read with interrupts disabled, as a value read before may be out of date.
 */
void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp);
/* Run until an exit; fills *e. Called and returns with interrupts disabled, in the thread that owns `u`. */
void user_run(struct user *u, struct user_exit *e);
/* The thread's pointer to its own data; takes effect at the next user_run(). A user address, or 0. */
void user_set_pointer(struct user *u, u64 tp);
/* Copy `n` bytes between the kernel's memory and users' addresses (the caller has looked: space_is_user) of the thread
 * that owns `u`, whose space is loaded if another thread had the core: 0, or -EFAULT where it is not mapped so; then
 * some bytes may have been copied. Interrupts disabled. */
int user_copy_piece(struct user *u, void *to, const void *from, size_t n);
/*
 * A space was changed.  user_forget(): what the processor remembers of it for the thread that owns `u` is out of date;
 * any core.  user_refresh(): be it for this thread, load it now; the thread that owns `u`, interrupts disabled.  It
 * loads by itself before it next goes outside or copies.  user_forgot(): it has not yet; when its core runs it and was
 * made to take an interrupt (hal_ipi_resched), it will.
 */
static inline void user_forget(struct user *u) { __atomic_store_n(&u->turn, 0, __ATOMIC_RELEASE); }
static inline bool user_forgot(const struct user *u) { return !__atomic_load_n(&u->turn, __ATOMIC_ACQUIRE); }
void user_refresh(struct user *u);
/* Where the program is, and the frame pointer that a walk up its stack begins with. */
u64 user_pc(const struct user *u);
u64 user_frame(const struct user *u);
/* Print the registers on the kernel's console. */
void user_dump(const struct user *u);

#endif
