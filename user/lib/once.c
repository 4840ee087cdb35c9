/* SPDX-License-Identifier: MIT */
/* once.c - pthread_once(): the first caller runs the routine; others sleep until it has returned. */
#include <pthread.h>

#include "lock.h"

enum { NEW, RUNNING, RUNNING_AND_AWAITED, DONE };

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    uint32_t seen = NEW;
    if (__atomic_compare_exchange_n(once, &seen, RUNNING, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        routine();
        if (__atomic_exchange_n(once, DONE, __ATOMIC_RELEASE) == RUNNING_AND_AWAITED)
            amalgam_wake(once, UINT32_MAX);
        return 0;
    }
    while (seen != DONE) {
        if (seen == RUNNING_AND_AWAITED ||
            __atomic_compare_exchange_n(once, &seen, RUNNING_AND_AWAITED, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            amalgam_wait(once, RUNNING_AND_AWAITED, AMALGAM_NEVER);
        seen = __atomic_load_n(once, __ATOMIC_ACQUIRE);
    }
    return 0;
}
