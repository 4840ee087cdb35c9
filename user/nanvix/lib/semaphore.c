/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - nanvix_semaphore, by user/lib/counter.h. A thread that finds the value 0 polls it for a while before it
 * is counted as a sleeper. nanvix_semaphore_up() touches nothing after it has incremented the value.
 */
#include <nanvix/sys/semaphore.h>

#include "../../lib/counter.h"
#include "nanvix.h"

_Static_assert(NANVIX_SEMAPHORE_MAX == COUNTER_MAX, "one limit");

int nanvix_semaphore_init(struct nanvix_semaphore *s, int val)
{
    if (!s || !WITHIN(val, 0, NANVIX_SEMAPHORE_MAX + 1))
        return -EINVAL;
    *s = (struct nanvix_semaphore){ .val = (uint32_t)val };
    return 0;
}

static bool take(struct nanvix_semaphore *s)
{
    uint32_t seen;
    return counter_take(&s->val, false, &seen);
}

/* Poll until one is taken. Returns false if it is time to sleep. */
static bool take_awake(struct nanvix_semaphore *s)
{
    for (unsigned turn = 0; nanvix_stay_awake(turn); turn++)
        if (take(s))
            return true;
    return false;
}

/* Sleep until one is taken, unless the value is not 0. Returns whether one was taken. */
static bool take_asleep(struct nanvix_semaphore *s)
{
    uint32_t seen;
    if (!counter_count(&s->val, true))
        return false;
    while (!counter_take(&s->val, true, &seen))
        nanvix_wait(&s->val, seen);
    return true;
}

/* Out of line: taking one that is there saves no registers for it. */
static __attribute__((noinline)) void wait_and_take(struct nanvix_semaphore *s)
{
    __atomic_add_fetch(&s->waiting, 1, __ATOMIC_RELAXED);
    while (!take_awake(s) && !take_asleep(s))
        ;
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
    bool wake;
    if (!s)
        return -EINVAL;
    if (!counter_post(&s->val, &wake))
        return -EOVERFLOW;
    if (wake)
        nanvix_wake(&s->val, 1);
    return 0;
}

int nanvix_semaphore_destroy(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    return __atomic_load_n(&s->waiting, __ATOMIC_RELAXED) ? -EBUSY : 0;
}
