/* SPDX-License-Identifier: MIT */
/* signal.h - signals and alarms of a process's threads (signal.c). */
#ifndef AMALGAM_PROCESS_SIGNAL_H
#define AMALGAM_PROCESS_SIGNAL_H

#include "process.h"

/* Waits below this address are for a page (pager.c): they end when it is there, and by no signal. */
#define PROCESS_FAULT_LAST (USER_BASE + 3)

/* The thread's record is new; it is not the one of the last run any more. */
void process_signals_init(struct process_thread *t);
/* A run of the process begins; the thread runs nothing. */
void process_signals_begin(struct process_thread *t);
/* The thread has ended: what it has not taken is lost, and its alarm. Under the lock, on its core. */
void process_signals_end(struct process_thread *t);
/* The process's threads have left and their records will be freed. Thread context, no lock held. */
void process_signals_destroy(struct process *p);
/* Set bits of `look` (enum process_look), then `reason`: the kernel thread's `stop` or `signal`, for which waits end.
 * If a bit was not set, end the thread's sleep, and interrupt the thread if it has its core. Any context. */
void process_attend(struct process_thread *t, u32 bits, bool *reason);
/* Take the first signal that is pending, if there is one: the program goes on at its entry. Returns 0, or the address
 * that its stack does not reach. Called on the thread; interrupts on, no lock held. */
u64 process_signal_take(struct process_thread *t);
/* Returns whether a signal ends the thread's wait at `word`. */
static inline bool process_signal_ends(const struct process_thread *t, u64 word)
{
    return READ_ONCE(t->look) & PROCESS_SIGNAL && (word > PROCESS_FAULT_LAST || !(word & 1));
}

#endif
