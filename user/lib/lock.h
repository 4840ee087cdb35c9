/* SPDX-License-Identifier: MIT */
/*
 * lock.h - the lock of mutexes and of the C library: one word, 0 free, 1 taken, 2 taken and a thread may sleep.
 *
 * Taking a free lock, and releasing one for which no thread sleeps, makes no system call. A thread sets the word to 2
 * before it sleeps, so the holder knows that it has to wake a thread. The woken thread sets the word to 2 again,
 * because others may still sleep. (Drepper, Futexes Are Tricky, mutex 3.)
 */
#ifndef AMALGAM_USER_LOCK_H
#define AMALGAM_USER_LOCK_H

#include <amalgam/calls.h>
#include <stdbool.h>
#include <stdint.h>

/* The C library's recursive lock (sys/lock.h names it); lock.c has its functions. */
struct amalgam_thread;
struct __lock {
    uint32_t word;
    uint32_t depth; /* how often its owner has taken it, less one; accessed by the owner only */
    struct amalgam_thread *owner;
};

static inline bool lock_try(uint32_t *word)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Take the lock after lock_try() has failed; sleeps. Returns false if amalgam_clock() reaches `deadline` before. */
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
