/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/fence.h - threads of a cluster wait for each other. */
#ifndef NANVIX_RUNTIME_FENCE_H_
#define NANVIX_RUNTIME_FENCE_H_

#include <nanvix/sys/mutex.h>

struct fence_t {
    int ncores;       /* how many threads it takes */
    int nreached;     /* that are there */
    uint32_t release; /* changes when all are there */
    spinlock_t lock;
};

extern void fence_init(struct fence_t *f, int ncores);
/* Wait until `ncores` threads are here. It can be used again at once. */
extern void fence(struct fence_t *f);

#endif
