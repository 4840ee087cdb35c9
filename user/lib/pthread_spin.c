/* SPDX-License-Identifier: MIT */
/* pthread_spin.c - locks that spin. The holder may be a thread of the same core, so who waits gives the core away
 * between looks. */
#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "shared.h"

#define LOOKS 64 /* before the core is given away: the time of some short sections */

int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    int kept;
    *l = NULL;
    return shared_set(&kept, shared);
}

int pthread_spin_destroy(pthread_spinlock_t *l) { return __atomic_load_n(l, __ATOMIC_RELAXED) ? EBUSY : 0; }

static bool take(pthread_spinlock_t *l)
{
    pthread_t nobody = NULL;
    return __atomic_compare_exchange_n(l, &nobody, pthread_self(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

int pthread_spin_trylock(pthread_spinlock_t *l) { return take(l) ? 0 : EBUSY; }

int pthread_spin_lock(pthread_spinlock_t *l)
{
    unsigned looks = 0;
    while (!take(l)) {
        pthread_t holder;
        while ((holder = __atomic_load_n(l, __ATOMIC_RELAXED))) {
            if (holder == pthread_self())
                return EDEADLK;
            if (++looks % LOOKS == 0)
                amalgam_yield();
        }
    }
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
    __atomic_store_n(l, NULL, __ATOMIC_RELEASE);
    return 0;
}
