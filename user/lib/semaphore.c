/* SPDX-License-Identifier: MIT */
/* semaphore.c - POSIX semaphores, by counter.h. sem_post() touches nothing after it has incremented the value. */
#include <semaphore.h>

#include <errno.h>

#include "cancel.h"
#include "clock.h"
#include "counter.h"
#include "lock.h"
#include "thread.h"

_Static_assert(SEM_VALUE_MAX == COUNTER_MAX, "one limit");

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Sleep until one is taken. A thread whose sleep has ended by its time or by a handler of a signal sleeps no more: it
 * takes one that is there, or leaves. */
static int take_asleep(uint32_t *word, uint64_t deadline)
{
    const uint32_t *handled = &thread_self()->signals.handled, before = __atomic_load_n(handled, __ATOMIC_RELAXED);
    uint32_t seen;
    int error = 0;
    if (!counter_count(word, true))
        return EAGAIN;
    while (!counter_take(word, true, &seen)) {
        if (error && counter_count(word, false))
            return error;
        int64_t result = error ? 0 : cancel_wait(word, seen, deadline);
        if (result == -AMALGAM_ETIMEDOUT)
            error = ETIMEDOUT;
        else if (result == -ECANCELED)
            error = ECANCELED;
        else if (result == -AMALGAM_EINTR && __atomic_load_n(handled, __ATOMIC_RELAXED) != before)
            error = EINTR;
    }
    return 0;
}

static int wait_until(sem_t *s, uint64_t deadline)
{
    uint32_t seen;
    int error = EAGAIN;
    cancel_test();
    while (error == EAGAIN)
        error = counter_take(&s->word, false, &seen) ? 0 : take_asleep(&s->word, deadline);
    if (error == ECANCELED)
        cancel_test();
    return error ? fail(error) : 0;
}

int sem_init(sem_t *s, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX)
        return fail(EINVAL);
    s->word = value;
    return 0;
}

int sem_destroy(sem_t *s) { return __atomic_load_n(&s->word, __ATOMIC_RELAXED) >= COUNTER_SLEEPER ? fail(EBUSY) : 0; }

int sem_wait(sem_t *s) { return wait_until(s, AMALGAM_NEVER); }

int sem_trywait(sem_t *s)
{
    uint32_t seen;
    return counter_take(&s->word, false, &seen) ? 0 : fail(EAGAIN);
}

int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
    uint32_t seen;
    uint64_t deadline;
    cancel_test();
    if (counter_take(&s->word, false, &seen))
        return 0;
    return clock_deadline(clock, until, &deadline) ? wait_until(s, deadline) : fail(EINVAL);
}

int sem_timedwait(sem_t *s, const struct timespec *until) { return sem_clockwait(s, CLOCK_REALTIME, until); }

int sem_post(sem_t *s)
{
    bool wake;
    if (!counter_post(&s->word, &wake))
        return fail(EOVERFLOW);
    if (wake)
        amalgam_wake(&s->word, 1);
    return 0;
}

int sem_getvalue(sem_t *s, int *value)
{
    *value = (int)counter_value(&s->word);
    return 0;
}
