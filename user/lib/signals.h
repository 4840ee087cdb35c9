/* SPDX-License-Identifier: MIT */
/*
 * signals.h - signals of POSIX on the kernel's (amalgam/signal.h), which interrupt a thread and know no masks.
 *
 * What is sent and not taken is pending: of one thread in its record, or of the process. Each thread has its word of
 * signals_open, by its number: the signals that it does not block. Who sends sets the bit that is pending, and then
 * looks who has the signal open; who opens writes its word, and then looks what is pending. So one of both sees the
 * other (sequential consistency), and the thread runs the handler itself: in the call that opens or sends, or in an
 * upcall, if another thread interrupts it by the kernel's signal LOOK. A thread that waits for a signal by sigwait()
 * says so in signals_awaited, and sleeps on signals_word.
 *
 * The kernel's signals of POSIX' numbers, such as an alarm, are taken as sent to the thread that they interrupt.
 *
 * A handler that another thread's signal has brought may be interrupted by a signal that it does not block. So it runs
 * after signal_return(0), and signal_return(1) follows it: from there to the return to what was interrupted no signal
 * comes, so that a storm of them never fills the stack.
 */
#ifndef AMALGAM_USER_SIGNALS_H
#define AMALGAM_USER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "thread.h"

#define LOOK         0 /* the kernel's signal: no signal of POSIX has this number */
#define THREADS_MOST 64
#define RESUME       ((void *)0) /* amalgam_signal_return(): signals may come; */
#define HOLD         ((void *)1) /* none comes until the next one */
#define ALL          (~1u)
#define ALWAYS_OPEN  (1u << SIGKILL | 1u << SIGSTOP)

/* Numbers of threads that take nothing; their words stay 0. */
enum { NOT_BEGUN = THREADS_MOST, ENDED, NUMBERS };

extern uint32_t signals_open[NUMBERS], signals_awaited[NUMBERS], signals_word[NUMBERS];
extern uint32_t signals_of_process; /* pending */

static inline bool is_signal(int signal) { return signal > 0 && signal < NSIG; }
static inline uint32_t signal_bit(int signal) { return 1u << signal; }
static inline uint32_t signals_load(const uint32_t *from) { return __atomic_load_n(from, __ATOMIC_SEQ_CST); }
static inline void signals_store(uint32_t *to, uint32_t value) { __atomic_store_n(to, value, __ATOMIC_SEQ_CST); }
static inline uint32_t *own_open(void) { return &signals_open[thread_self()->signals.number]; }

/* sigaction.c: take an action off the table for a signal that is taken now; SA_RESETHAND resets it. No handler may run
 * on the thread meanwhile. */
struct sigaction action_take(int signal);
/* Returns whether the signal does nothing now: SIG_IGN, or SIG_DFL where that ignores it. */
bool action_ignores(int signal);
/* Let the kernel's signal of that number be one of POSIX. */
void signal_arrives_at(int signal);

/* sigdeliver.c: run the handlers of the caller's open signals that are pending. Returns whether one ran. */
bool signals_deliver(void);
/* Change what the caller has open, and deliver what is pending. */
void signals_set_open(uint32_t open);
/* The functions of amalgam_signal(): of LOOK, and of signals that the kernel sends. */
struct amalgam_frame *signals_look(int signal, struct amalgam_frame *frame);
struct amalgam_frame *signals_arrive(int signal, struct amalgam_frame *frame);

/* sigaltstack.c, in programs that have it, else sigdeliver.c: returns the end of the thread's alternate stack, or NULL:
 * there is none, or the thread is on it. */
char *signals_alternate(void);

/* sigsend.c: before the first LOOK. */
void signals_prepare(void);
/* sigsend.c: find a thread for each of these signals of the process: it awaits the signal, or has it open. */
void signals_offer(uint32_t signals);

/* kill() of another process (children.c): 0 or an errno. NULL: this one has started none. */
extern int (*kill_other)(pid_t process, int signal);

#endif
