/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/thread.h - threads, each with a core of its own as far as the board has them.
 *
 * Every function returns 0, or -1 with errno. Numbers are given once only and never again.
 */
#ifndef NANVIX_SYS_THREAD_H_
#define NANVIX_SYS_THREAD_H_

#include <nanvix/kernel/kernel.h>

typedef int kthread_t;

/* The calling thread's number; the first one's is KTHREAD_LEADER_TID. */
extern kthread_t kthread_self(void);

/*
 * Start a thread. *tid is its number before it runs. EINVAL: no start function. EAGAIN: THREAD_MAX threads are there
 * (or as many as `threads:` of the system file says), or no memory for its stack of 8 KiB.
 */
extern int kthread_create(kthread_t *tid, void *(*start)(void *), void *arg);

/* End the calling thread; the last one's end ends the process. Does not return. */
extern int kthread_exit(void *value) NORETURN;

/*
 * Sleep until a thread has ended. *value, if not NULL, is what it left; of a thread that ended long ago (before
 * KTHREAD_EXIT_VALUE_NUM others) it stays as it was. Any thread may join any other, also more than one. EINVAL: the
 * caller itself, the master, or a thread that never was.
 */
extern int kthread_join(kthread_t tid, void **value);

/* Let another thread run on this core. */
extern int kthread_yield(void);

/* Sleep until kwakeup(). */
extern int ksleep(void);

/* Wake a thread. EINVAL: not a number of a thread. EAGAIN: it does not sleep; the wake-up is not kept for it. */
extern int kwakeup(kthread_t tid);

/* End the process: with status 0, or with `status`. */
extern int kshutdown(void);
extern void _kexit(int status);

#endif
