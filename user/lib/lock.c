/* SPDX-License-Identifier: MIT */
/*
 * lock.c - how a lock's waiters sleep, and the one lock of the C library (malloc, atexit, environment), which is
 * recursive. The library's archive has its own lock for programs of one thread; the build takes it out.
 */
#include "lock.h"

#include <stdlib.h>
#include <sys/lock.h>

#include "thread.h"

bool lock_sleep(uint32_t *word, uint64_t deadline)
{
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
        if (amalgam_wait(word, 2, deadline) == -AMALGAM_ETIMEDOUT)
            return false;
    return true;
}

struct __lock {
    uint32_t word;
    uint32_t depth; /* how often more than once; the owner's */
    struct amalgam_thread *owner;
};

struct __lock __lock___libc_recursive_mutex;

/* A stream's lock. Without memory for it the stream has the library's: init() cannot say that there is none. */
void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    *lock = calloc(1, sizeof **lock);
    if (!*lock)
        *lock = &__lock___libc_recursive_mutex;
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    if (lock != &__lock___libc_recursive_mutex)
        free(lock);
}

void __retarget_lock_init(_LOCK_T *lock) { __retarget_lock_init_recursive(lock); }
void __retarget_lock_close(_LOCK_T lock) { __retarget_lock_close_recursive(lock); }
void __retarget_lock_acquire(_LOCK_T lock) { lock_take(&lock->word); }
int __retarget_lock_try_acquire(_LOCK_T lock) { return !lock_try(&lock->word); }
void __retarget_lock_release(_LOCK_T lock) { lock_drop(&lock->word); }

/* Whether the caller has it already; then it has it once more. Nobody else stores the caller as the owner. */
static bool again(_LOCK_T lock)
{
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != thread_self())
        return false;
    lock->depth++;
    return true;
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    if (again(lock))
        return;
    lock_take(&lock->word);
    __atomic_store_n(&lock->owner, thread_self(), __ATOMIC_RELAXED);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    if (again(lock))
        return 0;
    if (!lock_try(&lock->word))
        return 1;
    __atomic_store_n(&lock->owner, thread_self(), __ATOMIC_RELAXED);
    return 0;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (lock->depth) {
        lock->depth--;
        return;
    }
    __atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
    lock_drop(&lock->word);
}
