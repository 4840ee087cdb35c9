/* SPDX-License-Identifier: MIT */
/*
 * mutex.c - nanvix_mutex. Only the holder of the lock writes `owner`, `rlevel` and `locked`, so a thread that reads
 * itself in `owner` is the holder.
 *
 * It stands on the lock of pthread's mutex (user/lib/lock.h), and is not that mutex (user/lib/mutex.c). A program sees
 * Nanvix' struct: each type has an owner, `locked`, and a depth that begins at 1, where a normal one of pthread's
 * writes its word and nothing else. A normal one of Nanvix may be unlocked though it is free; pthread's may be robust,
 * and waited for with a deadline. Errors are negative, NULL is one. What both would share is relock(), in six lines
 * with four parameters.
 */
#include <limits.h>
#include <nanvix/sys/mutex.h>

#include "nanvix.h"

int nanvix_mutexattr_init(struct nanvix_mutexattr *attr)
{
    if (!attr)
        return -EINVAL;
    attr->type = NANVIX_MUTEX_DEFAULT;
    return 0;
}

int nanvix_mutexattr_destroy(struct nanvix_mutexattr *attr) { return attr ? 0 : -EINVAL; }

int nanvix_mutexattr_settype(struct nanvix_mutexattr *attr, int type)
{
    if (!attr || !WITHIN(type, 0, NANVIX_MUTEX_LIMIT))
        return -EINVAL;
    attr->type = type;
    return 0;
}

int nanvix_mutexattr_gettype(struct nanvix_mutexattr *attr) { return attr ? attr->type : -EINVAL; }

int nanvix_mutex_init(struct nanvix_mutex *m, struct nanvix_mutexattr *attr)
{
    if (!m)
        return -EINVAL;
    int type = attr ? attr->type : NANVIX_MUTEX_DEFAULT;
    if (!WITHIN(type, 0, NANVIX_MUTEX_LIMIT))
        return -EINVAL;
    *m = (struct nanvix_mutex){ .type = type, .owner = KTHREAD_NULL_TID };
    return 0;
}

static bool is_mine(const struct nanvix_mutex *m)
{
    return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == kthread_self();
}

static bool asks(const struct nanvix_mutex *m)
{
    return m->type == NANVIX_MUTEX_ERRORCHECK || m->type == NANVIX_MUTEX_RECURSIVE;
}

/* Lock a mutex that the caller may hold already. Returns 0, `error` or -EAGAIN; 1 if the caller does not hold it, or
 * its type keeps no owner. */
static int relock(struct nanvix_mutex *m, int error)
{
    if (!asks(m) || !is_mine(m))
        return 1;
    if (m->type == NANVIX_MUTEX_ERRORCHECK)
        return error;
    if (m->rlevel == INT_MAX)
        return -EAGAIN;
    m->rlevel++;
    return 0;
}

static int taken(struct nanvix_mutex *m)
{
    __atomic_store_n(&m->owner, kthread_self(), __ATOMIC_RELAXED);
    m->locked = true;
    m->rlevel = 1;
    return 0;
}

int nanvix_mutex_lock(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    int again = relock(m, -EDEADLK);
    if (again <= 0)
        return again;
    nanvix_lock_take(&m->word);
    return taken(m);
}

int nanvix_mutex_trylock(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    int again = relock(m, -EBUSY);
    if (again <= 0)
        return again;
    return nanvix_lock_try(&m->word) ? taken(m) : -EBUSY;
}

bool nanvix_mutex_may_unlock(const struct nanvix_mutex *m) { return !asks(m) || is_mine(m); }

int nanvix_mutex_unlock(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    if (!nanvix_mutex_may_unlock(m))
        return -EPERM;
    if (m->type == NANVIX_MUTEX_RECURSIVE && --m->rlevel)
        return 0;
    __atomic_store_n(&m->owner, KTHREAD_NULL_TID, __ATOMIC_RELAXED);
    m->locked = false;
    nanvix_lock_drop(&m->word);
    return 0;
}

int nanvix_mutex_destroy(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    return __atomic_load_n(&m->word, __ATOMIC_RELAXED) ? -EBUSY : 0;
}
