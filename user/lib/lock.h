/* SPDX-License-Identifier: MIT */
/*
 * lock.h - the lock of mutexes, of the C library and of Nanvix' library: one word, 0 free, 1 taken, 2 taken and a
 * thread may sleep (tests/model/lock.pml).
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

/* Take a free lock as `taken`: 1, or 2 if threads may sleep for it. */
static inline bool lock_try_as(uint32_t *word, uint32_t taken)
{
    uint32_t free = 0;
    return __atomic_compare_exchange_n(word, &free, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool lock_try(uint32_t *word) { return lock_try_as(word, 1); }

/* How a thread sleeps: as amalgam_wait(). */
typedef int64_t lock_wait(const uint32_t *word, uint32_t expected, uint64_t deadline);
/* Poll before a sleep: returns true when the lock was taken as `taken`, false when it is time to sleep. */
typedef bool lock_poll(uint32_t *word, uint32_t taken);

/* Take a lock that is taken: sleep, poll, and sleep again. Returns false if a sleep has reached `deadline`. Inlined
 * where both functions are known. */
static inline __attribute__((always_inline)) bool lock_sleep_by(uint32_t *word, uint64_t deadline, lock_wait *wait,
                                                                lock_poll *poll)
{
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) {
        if (wait(word, 2, deadline) == -AMALGAM_ETIMEDOUT)
            return false;
        if (poll(word, 2))
            return true;
    }
    return true;
}

/* Release the lock. Returns whether a thread has to be woken. */
static inline bool lock_release(uint32_t *word) { return __atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2; }

/* Take the lock after lock_try() has failed; sleeps. Returns false if amalgam_clock() reaches `deadline` before. */
bool lock_sleep(uint32_t *word, uint64_t deadline);

static inline void lock_take(uint32_t *word)
{
    if (!lock_try(word))
        lock_sleep(word, AMALGAM_NEVER);
}

static inline void lock_drop(uint32_t *word)
{
    if (lock_release(word))
        amalgam_wake(word, 1);
}

#endif
