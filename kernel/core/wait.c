/* SPDX-License-Identifier: MIT */
/*
 * wait.c - wait queues, mutexes, semaphores. `called` marks a waiter that the queue woke, so that unrelated wake-ups
 * and time-outs are not taken for it.
 */
#include <core/sched.h>
#include <core/wait.h>
#include <errors.h>

void waitq_init(struct waitq *q)
{
    q->lock = (struct spinlock)SPINLOCK_INIT;
    list_init(&q->waiters);
}

int waitq_wait(struct waitq *q, ticks_t deadline)
{
    struct thread *self = thread_self();
    self->called = false;
    list_push_back(&q->waiters, &self->wait_link);
    int err = 0;
    while (!self->called && !err) {
        err = -ECANCELED;
        if (READ_ONCE(self->stop))
            break;
        spin_unlock(&q->lock);
        err = thread_block(deadline);
        spin_lock(&q->lock);
    }
    list_remove(&self->wait_link); /* harmless if the waker has removed it */
    /* if it was called and timed out at once the call counts, because the waker gave something away */
    return self->called ? 0 : err;
}

static struct thread *first_waiter(struct waitq *q) { return list_entry(q->waiters.next, struct thread, wait_link); }

unsigned waitq_wake_one(struct waitq *q)
{
    if (list_empty(&q->waiters))
        return 0;
    struct thread *t = first_waiter(q);
    list_remove(&t->wait_link);
    t->called = true;
    thread_wake(t);
    return 1;
}

unsigned waitq_wake_all(struct waitq *q)
{
    unsigned n = 0;
    while (waitq_wake_one(q))
        n++;
    return n;
}

static void unlock_and_poll(struct waitq *q, unsigned long flags)
{
    spin_unlock_irqrestore(&q->lock, flags);
    if (irq_enabled())
        sched_poll();
}

void mutex_init(struct mutex *m)
{
    waitq_init(&m->q);
    m->owner = NULL;
}

int mutex_lock(struct mutex *m)
{
    int err = 0;
    unsigned long flags = spin_lock_irqsave(&m->q.lock);
    if (m->owner)
        err = waitq_wait(&m->q, TICKS_NEVER); /* mutex_unlock() makes us the owner */
    else
        m->owner = thread_self();
    spin_unlock_irqrestore(&m->q.lock, flags);
    return err;
}

void mutex_unlock(struct mutex *m)
{
    unsigned long flags = spin_lock_irqsave(&m->q.lock);
    bool waited_for = !list_empty(&m->q.waiters);
    m->owner = waited_for ? first_waiter(&m->q) : NULL;
    waitq_wake_one(&m->q);
    unlock_and_poll(&m->q, flags);
}

void sem_init(struct semaphore *s, u32 count)
{
    waitq_init(&s->q);
    s->count = count;
}

int sem_wait(struct semaphore *s, ticks_t deadline)
{
    int err = 0;
    unsigned long flags = spin_lock_irqsave(&s->q.lock);
    if (s->count)
        s->count--;
    else
        err = waitq_wait(&s->q, deadline); /* sem_post() gives us the unit and does not count it */
    spin_unlock_irqrestore(&s->q.lock, flags);
    return err;
}

void sem_post(struct semaphore *s)
{
    unsigned long flags = spin_lock_irqsave(&s->q.lock);
    if (!waitq_wake_one(&s->q))
        s->count++;
    unlock_and_poll(&s->q, flags);
}
