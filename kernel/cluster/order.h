/* SPDX-License-Identifier: MIT */
/* order.h - numbers of 32 bits that say in which order things came, some of which may be kept for ever. 0: it is none;
 * smaller is older. */
#ifndef AMALGAM_CLUSTER_ORDER_H
#define AMALGAM_CLUSTER_ORDER_H

#include <types.h>

/* The numbers have come to their end: give what is kept the first ones, in its order. `n` numbers, `step` bytes apart.
 * Returns the last one that was given. Takes n steps for each that is kept. */
u32 order_anew(u32 *first, size_t step, unsigned n);

/* Returns the number after `latest`, for one of the numbers that begin at `first`. */
static inline u32 order_next(u32 latest, u32 *first, size_t step, unsigned n)
{
    return likely(latest + 1) ? latest + 1 : order_anew(first, step, n) + 1;
}

#endif
