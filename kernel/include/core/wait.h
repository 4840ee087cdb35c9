/* SPDX-License-Identifier: MIT */
/*
 * core/wait.h - threads waiting for something: wait queue, mutex, counting
 * semaphore.
 * All are first come, first served.  Deadlines are absolute, TICKS_NEVER = none.
 * Who waits gets 0, -ETIMEDOUT, or -ECANCELED if its thread was asked to stop.
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
/* Called with q->lock held; releases it while asleep, holds it again on return. */
int waitq_wait(struct waitq *q, ticks_t deadline);
/* Wake the first / all waiters; q->lock held: sched_poll() after releasing it. Returns how many. */
unsigned waitq_wake_one(struct waitq *q);
unsigned waitq_wake_all(struct waitq *q);

struct mutex {
    struct waitq q;
    struct thread *owner;
};

void mutex_init(struct mutex *m);
int mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m); /* hands over to the first waiter */

struct semaphore {
    struct waitq q;
    u32 count;
};

void sem_init(struct semaphore *s, u32 count);
int sem_wait(struct semaphore *s, ticks_t deadline);
void sem_post(struct semaphore *s); /* any context */

#endif
