/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/fence.h - a barrier of threads of one cluster. */
#ifndef NANVIX_RUNTIME_FENCE_H_
#define NANVIX_RUNTIME_FENCE_H_

#include <nanvix/sys/mutex.h>

struct fence_t {
    int ncores;       /* how many threads take part */
    int nreached;     /* how many have reached it */
    uint32_t release; /* changes when all have reached it */
    spinlock_t lock;
};

extern void fence_init(struct fence_t *f, int ncores);
/* Wait until `ncores` threads have reached the fence. It can be used again at once. */
extern void fence(struct fence_t *f);

#endif
