/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/mutex.h - mutexes. Every function returns 0 or a negative error; EINVAL: a pointer is NULL.
 *
 * A free one is taken and given back without a call. Who waits sleeps, and one is woken; a program linked with
 * `cc --nanvix=spin` polls instead.
 */
#ifndef NANVIX_SYS_MUTEX_H_
#define NANVIX_SYS_MUTEX_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/thread.h>

#define NANVIX_MUTEX_NORMAL     0 /* locking it again waits for ever; any thread may unlock it, also when it is free */
#define NANVIX_MUTEX_ERRORCHECK 1
#define NANVIX_MUTEX_RECURSIVE  2
#define NANVIX_MUTEX_DEFAULT    3 /* as NORMAL */
#define NANVIX_MUTEX_LIMIT      4

struct nanvix_mutexattr {
    int type;
};

struct nanvix_mutex {
    bool locked;
    uint32_t word; /* 0 free, 1 taken, 2 taken and somebody waits */
    int type;
    int rlevel;      /* recursive: how often its owner has it */
    kthread_t owner; /* KTHREAD_NULL_TID: nobody */
};

/* `attr` NULL: NANVIX_MUTEX_DEFAULT. EINVAL also: its type is none. */
extern int nanvix_mutex_init(struct nanvix_mutex *m, struct nanvix_mutexattr *attr);
/* EDEADLK: ERRORCHECK and the caller's. EAGAIN: RECURSIVE and taken INT_MAX times. */
extern int nanvix_mutex_lock(struct nanvix_mutex *m);
/* EBUSY: taken. */
extern int nanvix_mutex_trylock(struct nanvix_mutex *m);
/* EPERM: ERRORCHECK or RECURSIVE, and not the caller's. */
extern int nanvix_mutex_unlock(struct nanvix_mutex *m);
/* EBUSY: taken. */
extern int nanvix_mutex_destroy(struct nanvix_mutex *m);

extern int nanvix_mutexattr_init(struct nanvix_mutexattr *attr);
extern int nanvix_mutexattr_destroy(struct nanvix_mutexattr *attr);
/* EINVAL also: there is no such type. */
extern int nanvix_mutexattr_settype(struct nanvix_mutexattr *attr, int type);
/* Returns the type. */
extern int nanvix_mutexattr_gettype(struct nanvix_mutexattr *attr);

#endif
