/* SPDX-License-Identifier: MIT */
/*
 * condvar.c - nanvix_cond_var. Each waiter has a record in a list and waits on a word of its own. A signal removes the
 * first record, clears its word and wakes that thread only. A waker accesses a record for the last time when it clears
 * the word. So a thread that is in the list stays until it was woken; one that must not unlock the mutex does not
 * enter.
 *
 * That is why it is not pthread's condition (user/lib/cond.c): a waiter of that one leaves when its time is up or its
 * thread is cancelled, so its word has four values, a waker takes each waiter by a compare-and-swap before it clears
 * the word, and waits for those that leave. Here no wait has a time, a word has two values, and a wake-up pays for
 * nothing else; the list's lock is the spinlock_t that a program sees, which is polled before it is slept for.
 */
#include <nanvix/sys/condvar.h>

#include "nanvix.h"

struct nanvix_waiter {
    uint32_t waits;
    struct nanvix_waiter *next;
};

int nanvix_cond_init(struct nanvix_cond_var *c)
{
    if (!c)
        return -EINVAL;
    *c = (struct nanvix_cond_var){ SPINLOCK_UNLOCKED, NULL, NULL };
    return 0;
}

static void enter(struct nanvix_cond_var *c, struct nanvix_waiter *w)
{
    nanvix_lock_take(&c->lock);
    if (c->first)
        c->last->next = w;
    else
        c->first = w;
    c->last = w;
    nanvix_lock_drop(&c->lock);
}

/* Remove the first waiter from the list. Returns it, or NULL if there is none. */
static struct nanvix_waiter *next_waiter(struct nanvix_cond_var *c)
{
    nanvix_lock_take(&c->lock);
    struct nanvix_waiter *w = c->first;
    if (w)
        c->first = w->next;
    nanvix_lock_drop(&c->lock);
    return w;
}

/* Remove all waiters from the list. Returns the first one. */
static struct nanvix_waiter *all_waiters(struct nanvix_cond_var *c)
{
    nanvix_lock_take(&c->lock);
    struct nanvix_waiter *w = c->first;
    c->first = NULL;
    nanvix_lock_drop(&c->lock);
    return w;
}

static void wake(struct nanvix_waiter *w)
{
    __atomic_store_n(&w->waits, 0, __ATOMIC_RELEASE);
    nanvix_wake(&w->waits, 1);
}

int nanvix_cond_wait(struct nanvix_cond_var *c, struct nanvix_mutex *m)
{
    if (!c || !m)
        return -EINVAL;
    struct nanvix_waiter self = { 1, NULL };
    if (!nanvix_mutex_may_unlock(m))
        return -EPERM;
    enter(c, &self);
    nanvix_mutex_unlock(m);
    while (__atomic_load_n(&self.waits, __ATOMIC_ACQUIRE))
        nanvix_wait(&self.waits, 1);
    return nanvix_mutex_lock(m);
}

int nanvix_cond_signal(struct nanvix_cond_var *c)
{
    if (!c)
        return -EINVAL;
    struct nanvix_waiter *w = next_waiter(c);
    if (w)
        wake(w);
    return 0;
}

int nanvix_cond_broadcast(struct nanvix_cond_var *c)
{
    if (!c)
        return -EINVAL;
    struct nanvix_waiter *w = all_waiters(c), *next;
    for (; w; w = next) {
        next = w->next; /* read before the wake, because the record may be gone after it */
        wake(w);
    }
    return 0;
}

int nanvix_cond_destroy(struct nanvix_cond_var *c)
{
    if (!c)
        return -EINVAL;
    return __atomic_load_n(&c->first, __ATOMIC_RELAXED) ? -EBUSY : 0;
}
