/* SPDX-License-Identifier: MIT */
/*
 * pthread_barrier.c - barriers, of a mutex and two conditions. A barrier may be destroyed and freed by any thread that
 * has returned from it: pthread_barrier_destroy() waits until all others have left the mutex for the last time.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "cond.h"
#include "lock.h"
#include "shared.h"

int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
    attr->shared = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared)
{
    return shared_set(&attr->shared, shared);
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared)
{
    *shared = attr->shared;
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned need)
{
    (void)attr;
    if (!need)
        return EINVAL;
    *b = (pthread_barrier_t){ .lock = PTHREAD_MUTEX_INITIALIZER, .need = need };
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *b)
{
    pthread_mutex_lock(&b->lock);
    uint64_t round = b->round;
    bool last = ++b->arrived == b->need;
    b->inside++;
    if (last) {
        b->arrived = 0;
        b->round++;
        pthread_cond_broadcast(&b->all);
    }
    while (b->round == round)
        cond_wait_until(&b->all, &b->lock, AMALGAM_NEVER);
    if (!--b->inside)
        pthread_cond_broadcast(&b->none);
    pthread_mutex_unlock(&b->lock);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int pthread_barrier_destroy(pthread_barrier_t *b)
{
    pthread_mutex_lock(&b->lock);
    bool busy = b->arrived;
    while (!busy && b->inside)
        cond_wait_until(&b->none, &b->lock, AMALGAM_NEVER);
    pthread_mutex_unlock(&b->lock);
    return busy ? EBUSY : 0;
}
