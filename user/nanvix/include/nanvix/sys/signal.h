/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/signal.h - signals. Every function returns 0, or -1 with errno.
 *
 * The kernel does not call handlers: a handler is stored, but a fault still stops the process with the kernel's report.
 * Functions that would have to deliver a signal fail with ENOSYS.
 */
#ifndef NANVIX_SYS_SIGNAL_H_
#define NANVIX_SYS_SIGNAL_H_

#include <nanvix/kernel/kernel.h>

/* Set the handler of a signal. EAGAIN: `action` is NULL. EINVAL: there is no such signal. */
extern int ksigctl(int signum, struct ksigaction *action);
/* Fail with EINVAL for a negative time, a wrong signal or a wrong thread; otherwise with ENOSYS. */
extern int kalarm(int seconds);
extern int ksigsend(int signum, int tid);
extern int ksigwait(int signum);
extern int ksigreturn(void);

#endif
