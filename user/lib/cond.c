/* SPDX-License-Identifier: MIT */
/*
 * cond.c - POSIX conditions. Each waiter has a record in a list, in order of arrival, and sleeps on a word of its own.
 * pthread_cond_signal() removes the first record, clears its word and wakes that thread only. No thread sleeps while it
 * holds the list's lock.
 *
 * When a waiter's time is up it looks for its record in the list. If the record is there, it removes it and has timed
 * out. If not, it was signalled at the same moment and returns 0. A waker accesses a record for the last time when it
 * clears the word. The wake that follows may reach a word that is no longer a waiter's; this is harmless because every
 * thread checks its word again after a wake.
 */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "lock.h"

struct amalgam_waiter {
    uint32_t waiting;
    struct amalgam_waiter *next;
};

int pthread_condattr_init(pthread_condattr_t *attr)
{
    attr->nothing = 0;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    (void)attr;
    *c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *c) { return __atomic_load_n(&c->first, __ATOMIC_RELAXED) ? EBUSY : 0; }

static void waiter_add(pthread_cond_t *c, struct amalgam_waiter *w)
{
    lock_take(&c->lock);
    if (c->first)
        c->last->next = w;
    else
        __atomic_store_n(&c->first, w, __ATOMIC_RELAXED);
    c->last = w;
    lock_drop(&c->lock);
}

/* Remove a record from the list. Returns whether it was there. */
static bool waiter_remove(pthread_cond_t *c, struct amalgam_waiter *w)
{
    lock_take(&c->lock);
    struct amalgam_waiter *before = NULL, *at = c->first;
    for (; at && at != w; at = at->next)
        before = at;
    if (at) {
        if (before)
            before->next = w->next;
        else
            __atomic_store_n(&c->first, w->next, __ATOMIC_RELAXED);
        if (c->last == w)
            c->last = before;
    }
    lock_drop(&c->lock);
    return at;
}

static int wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
    struct amalgam_waiter self = { 1, NULL };
    bool late = false;
    waiter_add(c, &self);
    int error = pthread_mutex_unlock(m);
    if (error) {
        waiter_remove(c, &self);
        return error;
    }
    while (!late && __atomic_load_n(&self.waiting, __ATOMIC_ACQUIRE))
        if (amalgam_wait(&self.waiting, 1, deadline) == -AMALGAM_ETIMEDOUT)
            late = waiter_remove(c, &self);
    pthread_mutex_lock(m);
    return late ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return wait_until(c, m, AMALGAM_NEVER); }

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    uint64_t deadline;
    return clock_of_realtime(until, &deadline) ? wait_until(c, m, deadline) : EINVAL;
}

static void wake_waiter(struct amalgam_waiter *w)
{
    __atomic_store_n(&w->waiting, 0, __ATOMIC_RELEASE);
    amalgam_wake(&w->waiting, 1);
}

int pthread_cond_signal(pthread_cond_t *c)
{
    if (!__atomic_load_n(&c->first, __ATOMIC_SEQ_CST))
        return 0;
    lock_take(&c->lock);
    struct amalgam_waiter *w = c->first;
    if (w)
        __atomic_store_n(&c->first, w->next, __ATOMIC_RELAXED);
    lock_drop(&c->lock);
    if (w)
        wake_waiter(w);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!__atomic_load_n(&c->first, __ATOMIC_SEQ_CST))
        return 0;
    lock_take(&c->lock);
    struct amalgam_waiter *w = c->first, *next;
    __atomic_store_n(&c->first, NULL, __ATOMIC_RELAXED);
    lock_drop(&c->lock);
    for (; w; w = next) {
        next = w->next; /* read before the wake, because the record may be gone after it */
        wake_waiter(w);
    }
    return 0;
}
