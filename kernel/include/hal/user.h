/* SPDX-License-Identifier: MIT */
/*
 * hal/user.h - runs a process's thread. user_run() leaves the kernel and *returns* with a decoded reason, as vcpu_run()
 * does (hal/vcpu.h): the architecture never calls into process/.
 *
 * <arch/user.h> defines `struct user` and, in line, the parts of a call, after USER_CALL and in user_init()'s `fast`:
 * user_number(), user_argument(u, 0 to 5), user_wide_argument(u, n), and user_return(u, result). A wide argument has 64
 * bits and is the last one of its call; with registers of 32 bits it takes registers n and n + 1. USER_FAST_MAY_BLOCK:
 * 1: `fast` may block or yield, and then call user_refresh() before it returns true; 2: it must not, but `blocking`
 * may, `fast` does not see all calls, and user_refresh() also sets what C does not keep; 0: neither. `struct user`
 * holds the registers of one thread outside the kernel. Only that thread sees them: the last thread's values in the
 * processor are replaced before another one runs.
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
    u8 access;       /* FAULT on memory: what was tried, as far as the processor says: SPACE_WRITE, SPACE_EXEC or 0 */
    u64 address;     /* FAULT on memory: the address; else 0 */
};

/* Called once, before all others; boot. `fast` sees each call first, on the caller's core with interrupts off. It
 * returns true if it has handled the call, in some tens of instructions. `blocking` sees those that `fast` has not
 * handled where USER_FAST_MAY_BLOCK is 2, else none; it may also enable interrupts for a while. */
void user_init(bool (*fast)(struct user *u), bool (*blocking)(struct user *u));
/*
 * Set the registers of a thread that begins at `entry` with argument `arg`, on `stack`, with thread pointer `tp`. All
 * are users' addresses (space_is_user) but `arg`; `tp` may be 0. *turns changes whenever another thread had the core
 * (thread.turns) and is never 0: that says "not loaded". It is read with interrupts off, because an earlier value may
 * be out of date.
 */
void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp);
/* Run until an exit; sets *e. Called and returns with interrupts off, in the thread that owns `u`. */
void user_run(struct user *u, struct user_exit *e);
/* Set the thread's pointer to its own data, a user address or 0, from the next user_run() on. */
void user_set_pointer(struct user *u, u64 tp);
/* Copy `n` bytes between the kernel's memory and users' addresses (the caller has checked space_is_user) of the
 * thread that owns `u`; its space is loaded if another thread had the core. Returns 0, or -EFAULT if a page does not
 * permit it; some bytes may have been copied then. Interrupts must be off. */
int user_copy_piece(struct user *u, void *to, const void *from, size_t n);
/* The same for an aligned word of 32 bits that is read: returns its value, or -EFAULT. */
s64 user_read_word(struct user *u, const void *from);
/*
 * For a space that was changed. user_forget(): the processor's cached translations for the thread that owns `u` are out
 * of date; any core. user_refresh(): if that is so for this thread, load its space now; the thread that owns `u`,
 * interrupts off. (The thread also loads it before it next goes outside or copies.) user_forgot(): returns whether it
 * has not loaded it yet; if its core runs it, an interrupt (hal_ipi_resched) makes it load.
 */
static inline void user_forget(struct user *u) { __atomic_store_n(&u->turn, 0, __ATOMIC_RELEASE); }
static inline bool user_forgot(const struct user *u) { return !__atomic_load_n(&u->turn, __ATOMIC_ACQUIRE); }
void user_refresh(struct user *u);
/*
 * Signals, of a thread that is inside. <arch/user.h> defines `struct user_context`, the program's registers as it finds
 * them on its stack; USER_RED_ZONE, the bytes below its stack pointer that it may be using; and in line user_stack(),
 * its stack pointer, and user_result(), what user_return() has set last. user_save() sets *c. user_upcall(): the
 * program goes on at `entry`, with `signal` in the register of a function's first argument (which one:
 * kernel/api/process.yaml), stack pointer `stack` and flags as at its start. user_restore() sets the program's
 * registers: `c` may hold anything; what a program cannot set itself stays as it is (segments, the flags of the
 * kernel). Returns false, and changes nothing, if its pc is no user's address.
 */
void user_save(const struct user *u, struct user_context *c);
void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal);
bool user_restore(struct user *u, const struct user_context *c);
/* Return the program's pc, and the frame pointer from which its stack can be walked. */
u64 user_pc(const struct user *u);
u64 user_frame(const struct user *u);
/* Print the registers on the kernel's console. */
void user_dump(const struct user *u);

#endif
