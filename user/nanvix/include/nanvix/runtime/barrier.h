/* SPDX-License-Identifier: MIT */
/* nanvix/runtime/barrier.h - a barrier of clusters, made of two syncs; nodes[0] leads. */
#ifndef NANVIX_RUNTIME_BARRIER_H_
#define NANVIX_RUNTIME_BARRIER_H_

#include <nanvix/kernel/kernel.h>

typedef struct {
    int leader;
    int syncs[2]; /* all to one, one to all */
} barrier_t;

#define BARRIER_NULL        ((barrier_t){ -1, { -1, -1 } })
#define BARRIER_IS_VALID(b) ((b).syncs[0] >= 0 && (b).syncs[1] >= 0)

/* Returns BARRIER_NULL if the list is wrong or there are no more syncs. */
extern barrier_t barrier_create(const int *nodes, int nnodes);
/* Return 0 or a negative error of ksync_*(). */
extern int barrier_wait(barrier_t b);
extern int barrier_destroy(barrier_t b);

#endif
