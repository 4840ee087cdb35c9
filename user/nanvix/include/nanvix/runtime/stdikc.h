/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/stdikc.h - what each thread has to be spoken to: a mailbox and a portal of its own that receive, at
 * one port, made when they are first asked for; and a barrier of all clusters. Functions return negative errors.
 */
#ifndef NANVIX_RUNTIME_STDIKC_H_
#define NANVIX_RUNTIME_STDIKC_H_

#include <nanvix/kernel/kernel.h>

/* Return the calling thread's mailbox or portal (EBUSY: something else has its port), and its port. */
extern int stdinbox_get(void);
extern int stdinbox_get_port(void);
extern int stdinportal_get(void);
extern int stdinportal_get_port(void);
/* Wait until a thread of each cluster calls this. As barrier_wait(). */
extern int stdsync_fence(void);

/* Make, and free, the calling thread's; the barrier is the process's. */
extern int __stdsync_setup(void);
extern int __stdsync_cleanup(void);
extern int __stdmailbox_setup(void);
extern int __stdmailbox_cleanup(void);
extern int __stdportal_setup(void);
extern int __stdportal_cleanup(void);

#endif
