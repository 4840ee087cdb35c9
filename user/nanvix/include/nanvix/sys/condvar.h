/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/condvar.h - condition variables, whose waiters are woken in the order in which they came. Every function
 * returns 0 or a negative error; EINVAL: a pointer is NULL.
 */
#ifndef NANVIX_SYS_CONDVAR_H_
#define NANVIX_SYS_CONDVAR_H_

#include <nanvix/kernel/kernel.h>
#include <nanvix/sys/mutex.h>
#include <nanvix/sys/thread.h>

struct nanvix_cond_var {
    spinlock_t lock;
    struct nanvix_waiter *first, *last;
};

extern int nanvix_cond_init(struct nanvix_cond_var *c);
/* Unlock `m`, wait, and lock it again. If it cannot be unlocked that error is returned at once. */
extern int nanvix_cond_wait(struct nanvix_cond_var *c, struct nanvix_mutex *m);
/* Wake the thread that has waited longest, or all, one after the other. */
extern int nanvix_cond_signal(struct nanvix_cond_var *c);
extern int nanvix_cond_broadcast(struct nanvix_cond_var *c);
/* EBUSY: a thread waits. */
extern int nanvix_cond_destroy(struct nanvix_cond_var *c);

#endif
