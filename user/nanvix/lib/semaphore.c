/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - nanvix_semaphore. A thread that finds the value 0 increments `waiting`, then reads the value again
 * before it waits. nanvix_semaphore_up() increments the value, then reads `waiting`. So at least one of the two sees
 * the other.
 */
#include <limits.h>
#include <nanvix/sys/semaphore.h>

#include "nanvix.h"

int nanvix_semaphore_init(struct nanvix_semaphore *s, int val)
{
    if (!s || val < 0)
        return -EINVAL;
    *s = (struct nanvix_semaphore){ .val = (uint32_t)val };
    return 0;
}

static bool take(struct nanvix_semaphore *s)
{
    uint32_t val = __atomic_load_n(&s->val, __ATOMIC_RELAXED);
    while (val)
        if (__atomic_compare_exchange_n(&s->val, &val, val - 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
    return false;
}

int nanvix_semaphore_down(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    if (take(s))
        return 0;
    __atomic_add_fetch(&s->waiting, 1, __ATOMIC_SEQ_CST);
    while (!take(s))
        nanvix_wait(&s->val, 0);
    __atomic_sub_fetch(&s->waiting, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int nanvix_semaphore_trywait(struct nanvix_semaphore *s) { return s && take(s) ? 0 : -EINVAL; }

int nanvix_semaphore_up(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    uint32_t val = __atomic_load_n(&s->val, __ATOMIC_RELAXED);
    do
        if (val >= INT_MAX)
            return -EOVERFLOW;
    while (!__atomic_compare_exchange_n(&s->val, &val, val + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (__atomic_load_n(&s->waiting, __ATOMIC_SEQ_CST))
        nanvix_wake(&s->val, 1);
    return 0;
}

int nanvix_semaphore_destroy(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    return __atomic_load_n(&s->waiting, __ATOMIC_SEQ_CST) ? -EBUSY : 0;
}
