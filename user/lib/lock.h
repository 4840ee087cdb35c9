/* SPDX-License-Identifier: MIT */
/*
 * lock.h - the lock beneath mutexes and the C library: one word, 0 free, 1 taken, 2 taken and somebody sleeps.
 *
 * A free lock is taken, and one that nobody sleeps for is given back, without a call.  Whoever has to sleep makes the
 * word 2 first; so the holder knows that there is somebody to wake, and wakes one, who makes it 2 again, as others may
 * sleep. (Drepper, Futexes Are Tricky, mutex 3.)
 */
#ifndef AMALGAM_USER_LOCK_H
#define AMALGAM_USER_LOCK_H

#include <amalgam/calls.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool lock_try(uint32_t *word)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Take it where lock_try() could not. Returns false when amalgam_clock() reached `deadline` before. */
bool lock_sleep(uint32_t *word, uint64_t deadline);

static inline void lock_take(uint32_t *word)
{
    if (!lock_try(word))
        lock_sleep(word, AMALGAM_NEVER);
}

static inline void lock_drop(uint32_t *word)
{
    if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
        amalgam_wake(word, 1);
}

#endif
