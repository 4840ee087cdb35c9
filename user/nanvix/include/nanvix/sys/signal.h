/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/signal.h - signals. Every function returns 0, or -1 with errno.
 *
 * The kernel tells a process nothing of its exceptions yet: a handler is kept, but a fault still stops the process,
 * with the kernel's report. What would have to be delivered is ENOSYS.
 */
#ifndef NANVIX_SYS_SIGNAL_H_
#define NANVIX_SYS_SIGNAL_H_

#include <nanvix/kernel/kernel.h>

/* Set the handler of a signal. EAGAIN: `action` is NULL. EINVAL: there is no such signal. */
extern int ksigctl(int signum, struct ksigaction *action);
/* ENOSYS; before that EINVAL: a negative time, no such signal, or no thread's number. */
extern int kalarm(int seconds);
extern int ksigsend(int signum, int tid);
extern int ksigwait(int signum);
extern int ksigreturn(void);

#endif
