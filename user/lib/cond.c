/* SPDX-License-Identifier: MIT */
/*
 * cond.c - POSIX conditions. Each waiter has a record in a list, in order of arrival, and sleeps on a word of its own.
 * pthread_cond_signal() removes the first record, clears its word and wakes that thread only. No thread sleeps while it
 * holds the list's lock.
 *
 * A condition may be destroyed and freed as soon as its last waiter was woken. So a waiter whose time is up first says
 * in its word that it leaves, and touches the condition only if no waker was faster. A waker that finds a waiter
 * leaving removes its record, and waits until the waiter is through with the condition's lock. A waker accesses a
 * record for the last time when it clears the word. The wake that follows may reach a word that is no longer a
 * waiter's; this is harmless because every thread checks its word again after a wake.
 */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "clock.h"
#include "cond.h"
#include "lock.h"
#include "mutex.h"

/* Values of `state`. A waker sets TAKEN under the list's lock, and then WOKEN without it. */
enum { WOKEN, WAITING, TAKEN, LEAVING };

struct amalgam_waiter {
    uint32_t state;
    struct amalgam_waiter *next;
    uint32_t *leaving; /* of the waker that waits for this one: how many it waits for; under the list's lock */
};

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    *c = (pthread_cond_t){ .monotonic = attr && attr->clock == CLOCK_MONOTONIC };
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

/* Leave the list, in which a waker may have found the caller. */
static void leave(pthread_cond_t *c, struct amalgam_waiter *w)
{
    lock_take(&c->lock);
    uint32_t *leaving = w->leaving;
    if (!leaving) {
        struct amalgam_waiter *before = NULL;
        for (struct amalgam_waiter *at = c->first; at != w; at = at->next)
            before = at;
        if (before)
            before->next = w->next;
        else
            __atomic_store_n(&c->first, w->next, __ATOMIC_RELEASE); /* is_empty() then finds the lock taken */
        if (c->last == w)
            c->last = before;
    }
    lock_drop(&c->lock);
    if (leaving && !__atomic_sub_fetch(leaving, 1, __ATOMIC_ACQ_REL))
        amalgam_wake(leaving, 1);
}

typedef int64_t sleep(const uint32_t *word, uint32_t value, uint64_t deadline);

/* Sleep until a waker has woken the caller, the time is up, or the thread is to be cancelled. Returns the last two as
 * ETIMEDOUT and ECANCELED if no waker came before, else 0. */
static int sleep_until(struct amalgam_waiter *w, uint64_t deadline, sleep *how)
{
    uint32_t seen;
    while ((seen = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE)) != WOKEN) {
        int64_t result =
            seen == WAITING ? how(&w->state, seen, deadline) : amalgam_wait(&w->state, seen, AMALGAM_NEVER);
        int error = result == -AMALGAM_ETIMEDOUT ? ETIMEDOUT : result == -ECANCELED ? ECANCELED : 0;
        if (error && __atomic_compare_exchange_n(&w->state, &seen, LEAVING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return error;
    }
    return 0;
}

/* The mutex may say more than a wait that was woken does (EOWNERDEAD). */
static int wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, sleep *how)
{
    struct amalgam_waiter self = { WAITING, NULL, NULL };
    if (!mutex_may_unlock(m))
        return EPERM;
    waiter_add(c, &self);
    pthread_mutex_unlock(m);
    int error = sleep_until(&self, deadline, how);
    if (error)
        leave(c, &self);
    int locked = pthread_mutex_lock(m);
    return locked ? locked : error;
}

int cond_wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
    return wait(c, m, deadline, amalgam_wait);
}

/* A cancellation point, which its cleanups leave with the mutex. */
static int wait_or_end(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
    cancel_test();
    int error = wait(c, m, deadline, cancel_wait);
    if (error == ECANCELED)
        cancel_test();
    return error;
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return wait_or_end(c, m, AMALGAM_NEVER); }

int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    uint64_t deadline;
    return clock_deadline(clock, until, &deadline) ? wait_or_end(c, m, deadline) : EINVAL;
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    return pthread_cond_clockwait(c, m, c->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
}

/* Remove the first record from the list; it leaves, or is taken. Returns it if it is taken, or NULL. */
static struct amalgam_waiter *take_first(pthread_cond_t *c, uint32_t *leaving)
{
    struct amalgam_waiter *w = c->first;
    uint32_t waiting = WAITING;
    __atomic_store_n(&c->first, w->next, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&w->state, &waiting, TAKEN, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return w;
    __atomic_add_fetch(leaving, 1, __ATOMIC_RELAXED);
    w->leaving = leaving;
    return NULL;
}

/* Returns whether there is no waiter, nor one that leaves and has the lock still. */
static bool is_empty(const pthread_cond_t *c)
{
    return !__atomic_load_n(&c->first, __ATOMIC_SEQ_CST) && !__atomic_load_n(&c->lock, __ATOMIC_ACQUIRE);
}

/* Wake at most that many waiters. */
static int wake(pthread_cond_t *c, uint32_t most)
{
    uint32_t leaving = 0, seen;
    struct amalgam_waiter *first = NULL, **end = &first, *next;
    if (is_empty(c))
        return 0;
    lock_take(&c->lock);
    for (uint32_t n = 0; c->first && n < most;) {
        struct amalgam_waiter *w = take_first(c, &leaving);
        if (!w)
            continue;
        *end = w;
        end = &w->next;
        n++;
    }
    *end = NULL;
    lock_drop(&c->lock);
    for (struct amalgam_waiter *w = first; w; w = next) {
        next = w->next; /* read before the word is cleared, because the record may be gone after it */
        __atomic_store_n(&w->state, WOKEN, __ATOMIC_RELEASE);
        amalgam_wake(&w->state, 1);
    }
    while ((seen = __atomic_load_n(&leaving, __ATOMIC_ACQUIRE)))
        amalgam_wait(&leaving, seen, AMALGAM_NEVER);
    return 0;
}

int pthread_cond_signal(pthread_cond_t *c) { return wake(c, 1); }
int pthread_cond_broadcast(pthread_cond_t *c) { return wake(c, UINT32_MAX); }
