/* SPDX-License-Identifier: MIT */
/*
 * lock.c - the sleep of a lock's waiters, and the recursive lock of the C library (malloc, atexit, environment). The C
 * library's archive has a lock for single-threaded programs; the build removes it.
 */
#include "lock.h"

#include <stdlib.h>
#include <sys/lock.h>

#include "cancel.h"
#include "thread.h"

const struct cancel_hooks *cancel_hooks;

static bool poll_never(uint32_t *word, uint32_t taken)
{
    (void)word, (void)taken;
    return false;
}

bool lock_sleep(uint32_t *word, uint64_t deadline) { return lock_sleep_by(word, deadline, amalgam_wait, poll_never); }

struct __lock __lock___libc_recursive_mutex;

/* Make a stream's lock. If there is no memory the stream uses the library's lock, because this cannot report an error.
 */
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

/* If the caller holds the lock already, take it once more and return true. Needs no atomic read-modify-write, because
 * only the caller itself stores itself as the owner. */
static bool again(_LOCK_T lock)
{
    if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != thread_self())
        return false;
    lock->depth++;
    return true;
}

/* malloc() may be called in a handler: that waits for one which its thread is in. */
static bool is_librarys(_LOCK_T lock) { return lock == &__lock___libc_recursive_mutex; }

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    if (is_librarys(lock))
        handlers_hold();
    if (again(lock))
        return;
    lock_take(&lock->word);
    __atomic_store_n(&lock->owner, thread_self(), __ATOMIC_RELAXED);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    if (is_librarys(lock))
        handlers_hold();
    if (again(lock))
        return 0;
    if (lock_try(&lock->word)) {
        __atomic_store_n(&lock->owner, thread_self(), __ATOMIC_RELAXED);
        return 0;
    }
    if (is_librarys(lock))
        handlers_let();
    return 1;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (lock->depth) {
        lock->depth--;
    } else {
        __atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
        lock_drop(&lock->word);
    }
    if (is_librarys(lock))
        handlers_let();
}
