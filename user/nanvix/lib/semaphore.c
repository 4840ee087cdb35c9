/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - nanvix_semaphore. A thread that finds the value 0 polls it for a while, then increments `asleep`, and
 * reads the value again before it sleeps. nanvix_semaphore_up() increments the value, then reads `asleep`. So at least
 * one of the two sees the other (tests/model/counter.pml).
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

/* Poll until one is taken. Returns false if it is time to sleep. */
static bool take_awake(struct nanvix_semaphore *s)
{
    for (unsigned turn = 0; nanvix_stay_awake(turn); turn++)
        if (take(s))
            return true;
    return false;
}

/* Out of line: taking one that is there saves no registers for it. */
static __attribute__((noinline)) void wait_and_take(struct nanvix_semaphore *s)
{
    __atomic_add_fetch(&s->waiting, 1, __ATOMIC_RELAXED);
    while (!take_awake(s)) {
        __atomic_add_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
        nanvix_wait(&s->val, 0);
        __atomic_sub_fetch(&s->asleep, 1, __ATOMIC_SEQ_CST);
    }
    __atomic_sub_fetch(&s->waiting, 1, __ATOMIC_RELAXED);
}

int nanvix_semaphore_down(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    if (!take(s))
        wait_and_take(s);
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
    if (__atomic_load_n(&s->asleep, __ATOMIC_SEQ_CST))
        nanvix_wake(&s->val, 1);
    return 0;
}

int nanvix_semaphore_destroy(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    return __atomic_load_n(&s->waiting, __ATOMIC_RELAXED) ? -EBUSY : 0;
}
