/* SPDX-License-Identifier: MIT */
/* mutex.c - POSIX mutexes on lock.h. Only the holder writes `owner`, so a thread that reads itself there is the holder.
 */
#include "mutex.h"

#include <errno.h>

#include "clock.h"
#include "lock.h"
#include "thread.h"

const struct robust_hooks *robust_hooks;

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    *m = (pthread_mutex_t){ .kind = attr ? attr->kind | (attr->robust ? MUTEX_ROBUST : 0) : PTHREAD_MUTEX_DEFAULT };
    return 0;
}

static bool is_mine(const pthread_mutex_t *m) { return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == thread_self(); }

/* A robust one may be destroyed by its owner, as with glibc and musl: then that is no owner any more. */
int pthread_mutex_destroy(pthread_mutex_t *m)
{
    if (m->kind & MUTEX_ROBUST && is_mine(m)) {
        robust_hooks->dropping(m);
        return 0;
    }
    return __atomic_load_n(&m->lock, __ATOMIC_RELAXED) ? EBUSY : 0;
}

/* The caller has the lock. */
static int taken(pthread_mutex_t *m)
{
    if (m->kind == PTHREAD_MUTEX_NORMAL)
        return 0;
    __atomic_store_n(&m->owner, thread_self(), __ATOMIC_RELAXED);
    return m->kind & MUTEX_ROBUST ? robust_hooks->taken(m) : 0;
}

/* Lock a mutex that the caller may hold already. Returns 0, `error`, or EAGAIN if the depth is at its limit; -1 if the
 * caller does not hold it, or its kind keeps no owner. */
static int relock(pthread_mutex_t *m, int error)
{
    if (m->kind == PTHREAD_MUTEX_NORMAL || !is_mine(m) || m->kind == (PTHREAD_MUTEX_NORMAL | MUTEX_ROBUST))
        return -1;
    if ((m->kind & ~MUTEX_ROBUST) == PTHREAD_MUTEX_ERRORCHECK)
        return error;
    if (m->depth == UINT32_MAX)
        return EAGAIN;
    m->depth++;
    return 0;
}

static int lock_until(pthread_mutex_t *m, uint64_t deadline)
{
    int again = relock(m, EDEADLK);
    if (again >= 0)
        return again;
    if (!lock_try(&m->lock) && !lock_sleep(&m->lock, deadline))
        return ETIMEDOUT;
    return taken(m);
}

int pthread_mutex_lock(pthread_mutex_t *m) { return lock_until(m, AMALGAM_NEVER); }

int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
    uint64_t deadline;
    return clock_deadline(clock, until, &deadline) ? lock_until(m, deadline) : EINVAL;
}

int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
    return pthread_mutex_clocklock(m, CLOCK_REALTIME, until);
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
    int again = relock(m, EBUSY);
    if (again >= 0)
        return again;
    if (!lock_try(&m->lock))
        return EBUSY;
    return taken(m);
}

bool mutex_may_unlock(const pthread_mutex_t *m) { return m->kind == PTHREAD_MUTEX_NORMAL || is_mine(m); }

int pthread_mutex_unlock(pthread_mutex_t *m)
{
    if (!mutex_may_unlock(m))
        return EPERM;
    if (m->kind != PTHREAD_MUTEX_NORMAL) {
        if (m->depth) {
            m->depth--;
            return 0;
        }
        if (m->kind & MUTEX_ROBUST)
            robust_hooks->dropping(m);
        __atomic_store_n(&m->owner, NULL, __ATOMIC_RELAXED);
    }
    lock_drop(&m->lock);
    return 0;
}
