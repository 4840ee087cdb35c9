/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/thread.h - threads, each on a core of its own as far as the process has cores.
 *
 * Every function returns 0, or -1 with errno. The number of a thread is never used again.
 */
#ifndef NANVIX_SYS_THREAD_H_
#define NANVIX_SYS_THREAD_H_

#include <nanvix/kernel/kernel.h>

typedef int kthread_t;

/* Returns the calling thread's number; the first thread's is KTHREAD_LEADER_TID. */
extern kthread_t kthread_self(void);

/*
 * Start a thread. *tid is its number, and is stored before the thread runs. EINVAL: `start` is NULL. EAGAIN: there are
 * THREAD_MAX threads (or as many as `threads:` of the system file allows), or there is no memory for a stack of 8 KiB.
 */
extern int kthread_create(kthread_t *tid, void *(*start)(void *), void *arg);

/* End the calling thread; the last one's end ends the process. Does not return. */
extern int kthread_exit(void *value) NORETURN;

/*
 * Sleep until a thread has ended. *value, unless `value` is NULL, becomes its exit value; it is unchanged if
 * KTHREAD_EXIT_VALUE_NUM others have ended since. Any thread may join any other, and several may join the same one.
 * EINVAL: the caller itself, the master, or a number that no thread had.
 */
extern int kthread_join(kthread_t tid, void **value);

/* Let another thread run on this core. */
extern int kthread_yield(void);

/* Sleep until kwakeup(). */
extern int ksleep(void);

/* Wake a thread from ksleep(). EINVAL: no thread has that number. EAGAIN: it does not sleep; the wake-up is lost. */
extern int kwakeup(kthread_t tid);

/* End the process: with status 0, or with `status`. */
extern int kshutdown(void);
extern void _kexit(int status);

#endif
