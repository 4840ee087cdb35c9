/* SPDX-License-Identifier: MIT */
/* once.c - pthread_once(): the first caller runs the routine; others sleep until it has returned. */
#include <pthread.h>

#include "lock.h"

enum { NEW, RUNNING, RUNNING_AND_AWAITED, DONE };

static void end(pthread_once_t *once, uint32_t state)
{
    if (__atomic_exchange_n(once, state, __ATOMIC_RELEASE) == RUNNING_AND_AWAITED)
        amalgam_wake(once, UINT32_MAX);
}

/* The thread has ended in the routine: the next caller runs it again (POSIX, pthread_once()). */
static void begin_again(void *once) { end(once, NEW); }

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    for (;;) {
        uint32_t seen = NEW;
        if (__atomic_compare_exchange_n(once, &seen, RUNNING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
            pthread_cleanup_push(begin_again, once);
            routine();
            pthread_cleanup_pop(0);
            end(once, DONE);
            return 0;
        }
        if (seen == DONE)
            return 0;
        if (seen == RUNNING_AND_AWAITED ||
            __atomic_compare_exchange_n(once, &seen, RUNNING_AND_AWAITED, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            amalgam_wait(once, RUNNING_AND_AWAITED, AMALGAM_NEVER);
    }
}
