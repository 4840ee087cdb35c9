/* SPDX-License-Identifier: MIT */
/*
 * pthread_rwlock.c - locks for readers and writers, of a mutex and two conditions. Readers that wait are let in all at
 * once by who lets them in: who unlocks for writing, or the last writer that gives up. They are counted as readers by
 * then, so no writer comes between; a reader sees by `turn` that it holds the lock
 * (tests/model/rwlock.pml).
 */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "cond.h"
#include "lock.h"
#include "shared.h"

static const uint64_t never = AMALGAM_NEVER;

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
    attr->shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared) { return shared_set(&attr->shared, shared); }

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared)
{
    *shared = attr->shared;
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    (void)attr;
    *l = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    pthread_mutex_lock(&l->lock);
    bool busy = l->writer || l->reading || l->waiting_writers;
    pthread_mutex_unlock(&l->lock);
    return busy ? EBUSY : 0;
}

/* The following are under the lock; `deadline` NULL: do not wait. */

static bool is_taken(const pthread_rwlock_t *l) { return l->writer || l->reading; }

static void let_readers_in(pthread_rwlock_t *l)
{
    l->reading += l->waiting_readers;
    l->waiting_readers = 0;
    l->turn++;
    pthread_cond_broadcast(&l->readers);
}

static int read_lock(pthread_rwlock_t *l, const uint64_t *deadline)
{
    uint64_t turn = l->turn;
    int error = 0;
    if (!l->writer && !l->waiting_writers) {
        l->reading++;
        return 0;
    }
    if (!deadline)
        return EBUSY;
    if (l->writer == pthread_self())
        return EDEADLK;
    l->waiting_readers++;
    while (l->turn == turn && !error)
        error = cond_wait_until(&l->readers, &l->lock, *deadline);
    if (l->turn != turn)
        return 0;
    l->waiting_readers--;
    return error;
}

static int write_lock(pthread_rwlock_t *l, const uint64_t *deadline)
{
    int error = 0;
    if (is_taken(l) && !deadline)
        return EBUSY;
    if (l->writer == pthread_self())
        return EDEADLK;
    l->waiting_writers++;
    while (is_taken(l) && !error)
        error = cond_wait_until(&l->writers, &l->lock, *deadline);
    l->waiting_writers--;
    if (!is_taken(l)) {
        l->writer = pthread_self();
        return 0;
    }
    if (!l->waiting_writers && !l->writer)
        let_readers_in(l);
    return error;
}

static int unlock(pthread_rwlock_t *l)
{
    if (!is_taken(l))
        return EINVAL;
    if (l->writer && l->writer != pthread_self())
        return EPERM;
    bool wrote = l->writer;
    l->writer = NULL;
    l->reading -= !wrote;
    if (wrote && l->waiting_readers)
        let_readers_in(l);
    else if (!l->reading)
        pthread_cond_signal(&l->writers);
    return 0;
}

typedef int way(pthread_rwlock_t *l, const uint64_t *deadline);

static int lock(pthread_rwlock_t *l, way *how, const uint64_t *deadline)
{
    pthread_mutex_lock(&l->lock);
    int error = how(l, deadline);
    pthread_mutex_unlock(&l->lock);
    return error;
}

static int lock_until(pthread_rwlock_t *l, way *how, clockid_t clock, const struct timespec *until)
{
    uint64_t deadline;
    return clock_deadline(clock, until, &deadline) ? lock(l, how, &deadline) : EINVAL;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l) { return lock(l, read_lock, &never); }
int pthread_rwlock_wrlock(pthread_rwlock_t *l) { return lock(l, write_lock, &never); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return lock(l, read_lock, NULL); }
int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return lock(l, write_lock, NULL); }

int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    return lock_until(l, read_lock, clock, until);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
    return lock_until(l, write_lock, clock, until);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return lock_until(l, read_lock, CLOCK_REALTIME, until);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
    return lock_until(l, write_lock, CLOCK_REALTIME, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    pthread_mutex_lock(&l->lock);
    int error = unlock(l);
    pthread_mutex_unlock(&l->lock);
    return error;
}
