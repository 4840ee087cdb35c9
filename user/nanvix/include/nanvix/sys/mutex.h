/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/mutex.h - mutexes. Every function returns 0 or a negative error; EINVAL: a pointer is NULL.
 *
 * Locking a free mutex, and unlocking one for which no thread waits, makes no system call. A thread that waits sleeps,
 * and unlocking wakes one; a program linked with `cc --nanvix=spin` polls instead. With `cc --nanvix=remote` each
 * operation is a call of the master core; a mutex is EINVAL there before nanvix_mutex_init(), where one of zeros is
 * free otherwise, and init is EAGAIN if no more can be made.
 */
#ifndef NANVIX_SYS_MUTEX_H_
#define NANVIX_SYS_MUTEX_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/thread.h>

#define NANVIX_MUTEX_NORMAL     0 /* locking it twice waits for ever; any thread may unlock it, even if it is free */
#define NANVIX_MUTEX_ERRORCHECK 1
#define NANVIX_MUTEX_RECURSIVE  2
#define NANVIX_MUTEX_DEFAULT    3 /* the same as NORMAL */
#define NANVIX_MUTEX_LIMIT      4

struct nanvix_mutexattr {
    int type;
};

struct nanvix_mutex {
    bool locked;
    uint32_t word; /* 0 free, 1 taken, 2 taken and a thread waits */
    int type;
    int rlevel;      /* recursive: how often its owner has locked it */
    kthread_t owner; /* KTHREAD_NULL_TID: none */
};

/* `attr` NULL: NANVIX_MUTEX_DEFAULT. EINVAL also: its type is invalid. */
extern int nanvix_mutex_init(struct nanvix_mutex *m, struct nanvix_mutexattr *attr);
/* EDEADLK: it is ERRORCHECK and the caller holds it. EAGAIN: it is RECURSIVE and was locked INT_MAX times. */
extern int nanvix_mutex_lock(struct nanvix_mutex *m);
/* EBUSY: it is locked. */
extern int nanvix_mutex_trylock(struct nanvix_mutex *m);
/* EPERM: it is ERRORCHECK or RECURSIVE, and the caller does not hold it. */
extern int nanvix_mutex_unlock(struct nanvix_mutex *m);
/* EBUSY: it is locked. */
extern int nanvix_mutex_destroy(struct nanvix_mutex *m);

extern int nanvix_mutexattr_init(struct nanvix_mutexattr *attr);
extern int nanvix_mutexattr_destroy(struct nanvix_mutexattr *attr);
/* EINVAL also: there is no such type. */
extern int nanvix_mutexattr_settype(struct nanvix_mutexattr *attr, int type);
/* Returns the type. */
extern int nanvix_mutexattr_gettype(struct nanvix_mutexattr *attr);

#endif
