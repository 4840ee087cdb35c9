/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/signal.h - signals between threads, and alarms. Every function returns 0 unless it says otherwise, or -1
 * with errno.
 *
 * A handler runs in the thread that the signal was sent to, at any point of it, and no other signal comes before it has
 * returned. It must call nothing that takes a lock: of this library ksigsend(), kalarm(), ksigreturn() and
 * kthread_self(). Its argument is the address of a struct amalgam_frame * (amalgam/signal.h): what the thread goes on
 * with, in place of which the handler may store another one. So an alarm can take turns among threads of the program's
 * own.
 *
 * A fault sends no signal: it stops the process with the kernel's report, or is the matter of nanvix/sys/excp.h.
 */
#ifndef NANVIX_SYS_SIGNAL_H_
#define NANVIX_SYS_SIGNAL_H_

#include <nanvix/kernel/kernel.h>

/* Set the handler of a signal. EAGAIN: `action` is NULL. EINVAL: there is no such signal. */
extern int ksigctl(int signum, struct ksigaction *action);
/* Send the calling thread SIGALRM after that time; 0 takes it back. Returns the seconds that were left of the time
 * before, rounded up. EINVAL: a negative time. */
extern int kalarm(int seconds);
/* EINVAL: no such signal or thread. */
extern int ksigsend(int signum, int tid);
/* Wait until a signal of that number has come to the calling thread, from now on. EINVAL: no such signal. */
extern int ksigwait(int signum);
/* End the handler that the calling thread is in; does not return. EINVAL: it is in none. */
extern int ksigreturn(void);

#endif
