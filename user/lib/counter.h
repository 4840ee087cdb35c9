/* SPDX-License-Identifier: MIT */
/*
 * counter.h - the counting semaphore of POSIX and of Nanvix' library: one word with the value and the number of threads that
 * sleep, or are about to (tests/model/counter.pml). Posting is one step, which also tells whether to wake somebody; the
 * semaphore may be gone after it, because the thread that took what was posted may have freed it.
 */
#ifndef AMALGAM_USER_COUNTER_H
#define AMALGAM_USER_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define COUNTER_MAX     0x1ffffffu         /* the largest value */
#define COUNTER_SLEEPER (COUNTER_MAX + 1u) /* one thread that sleeps; a process has 64 at most */

static inline uint32_t counter_value(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED) & COUNTER_MAX;
}

/* Take one, unless the value is 0; then *seen becomes the word, for which a sleeper waits. `counted`: the caller is
 * counted as a sleeper, and is none any more if it takes. */
static inline bool counter_take(uint32_t *word, bool counted, uint32_t *seen)
{
    uint32_t less = counted ? COUNTER_SLEEPER + 1 : 1;
    *seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (*seen & COUNTER_MAX)
        if (__atomic_compare_exchange_n(word, seen, *seen - less, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* Count the caller as a sleeper, or no longer, if the value is 0. Returns whether it was. */
static inline bool counter_count(uint32_t *word, bool sleeps)
{
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED), change = sleeps ? COUNTER_SLEEPER : -COUNTER_SLEEPER;
    while (!(seen & COUNTER_MAX))
        if (__atomic_compare_exchange_n(word, &seen, seen + change, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* Add one. Returns false if the value is COUNTER_MAX. *wake becomes whether a thread has to be woken; nothing but the
 * word's address may be used for that. */
static inline bool counter_post(uint32_t *word, bool *wake)
{
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    do
        if ((seen & COUNTER_MAX) == COUNTER_MAX)
            return false;
    while (!__atomic_compare_exchange_n(word, &seen, seen + 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    *wake = seen >= COUNTER_SLEEPER;
    return true;
}

#endif
