/* SPDX-License-Identifier: MIT */
/* fence.c - the last thread that reaches the fence changes `release`, on which the others wait. */
#include <nanvix/runtime/fence.h>

#include "nanvix.h"

void fence_init(struct fence_t *f, int ncores)
{
    *f = (struct fence_t){ .ncores = ncores };
    spinlock_init(&f->lock);
}

void fence(struct fence_t *f)
{
    nanvix_lock_take(&f->lock);
    uint32_t before = __atomic_load_n(&f->release, __ATOMIC_RELAXED);
    bool last = ++f->nreached >= f->ncores;
    if (last) {
        f->nreached = 0;
        __atomic_store_n(&f->release, before + 1, __ATOMIC_RELEASE);
    }
    nanvix_lock_drop(&f->lock);
    if (last)
        nanvix_wake(&f->release, UINT32_MAX);
    while (!last && __atomic_load_n(&f->release, __ATOMIC_ACQUIRE) == before)
        nanvix_wait(&f->release, before);
}
