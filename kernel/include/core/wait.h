/* SPDX-License-Identifier: MIT */
/*
 * core/wait.h - wait queue, mutex, counting semaphore. All are first come, first served. Deadlines are absolute;
 * TICKS_NEVER is no deadline. A wait returns 0, -ETIMEDOUT, or -ECANCELED if the thread was asked to stop.
 */
#ifndef AMALGAM_CORE_WAIT_H
#define AMALGAM_CORE_WAIT_H

#include <core/lock.h>
#include <core/thread.h>

struct waitq {
    struct spinlock lock;
    struct list waiters;
};

void waitq_init(struct waitq *q);
/* Wait in the queue. Called with q->lock held; the lock is released while the thread sleeps, and held again on return.
 * A thread that was asked to stop does not wait and keeps the lock, so a loop around this ends by the error, unless its
 * thread is asked to stop only when nothing is left to wait for (the keeper and the control console, domain.c). */
int waitq_wait(struct waitq *q, ticks_t deadline);
/* Wake the first waiter / all waiters with q->lock held; the caller calls sched_poll() after it has released the
 * lock. Returns how many were woken. */
unsigned waitq_wake_one(struct waitq *q);
unsigned waitq_wake_all(struct waitq *q);

struct mutex {
    struct waitq q;
    struct thread *owner;
};

void mutex_init(struct mutex *m);
int mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m); /* the first waiter becomes the owner */

struct semaphore {
    struct waitq q;
    u32 count;
};

void sem_init(struct semaphore *s, u32 count);
int sem_wait(struct semaphore *s, ticks_t deadline);
void sem_post(struct semaphore *s); /* any context */

#endif
