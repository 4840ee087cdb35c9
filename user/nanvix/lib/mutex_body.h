/* SPDX-License-Identifier: MIT */
/*
 * mutex_body.h - nanvix_mutex, on a lock of one word: mutex.c, or ../remote/mutex.c, which each define before it
 *
 *   int word_make(uint32_t *word)   make it free; returns 0 or an error
 *   int word_take(uint32_t *word)   take it, or wait for it; returns 0, or -EINVAL: it was not made
 *   int word_try(uint32_t *word)    the same without waiting; -EBUSY: it is taken
 *   int word_drop(uint32_t *word)   make it free, which it may be already; returns as word_take()
 *   int word_end(uint32_t *word)    it is used no more; returns 0, or -EBUSY: it is taken
 *
 * Only the holder of the lock writes `owner`, `rlevel` and `locked`, so a thread that reads itself in `owner` is the
 * holder.
 */
#ifndef AMALGAM_NANVIX_MUTEX_BODY_H
#define AMALGAM_NANVIX_MUTEX_BODY_H

#include <limits.h>
#include <nanvix/sys/mutex.h>

#include "nanvix.h"

int nanvix_mutex_init(struct nanvix_mutex *m, struct nanvix_mutexattr *attr)
{
    if (!m)
        return -EINVAL;
    int type = attr ? attr->type : NANVIX_MUTEX_DEFAULT;
    if (!WITHIN(type, 0, NANVIX_MUTEX_LIMIT))
        return -EINVAL;
    *m = (struct nanvix_mutex){ .type = type, .owner = KTHREAD_NULL_TID };
    return word_make(&m->word);
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
    int err = word_take(&m->word);
    return err ? err : taken(m);
}

int nanvix_mutex_trylock(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    int again = relock(m, -EBUSY);
    if (again <= 0)
        return again;
    int err = word_try(&m->word);
    return err ? err : taken(m);
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
    return word_drop(&m->word);
}

int nanvix_mutex_destroy(struct nanvix_mutex *m)
{
    if (!m)
        return -EINVAL;
    return word_end(&m->word);
}

#endif
