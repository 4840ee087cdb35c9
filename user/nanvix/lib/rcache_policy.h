/* SPDX-License-Identifier: MIT */
/*
 * rcache_policy.h - which page of the cache makes room first (nanvix/runtime/mm/cache.h). The caller has the cache's
 * lock; pages that are here are got meanwhile, so `used` and the number of gets may change at any time.
 */
#ifndef AMALGAM_NANVIX_RCACHE_POLICY_H
#define AMALGAM_NANVIX_RCACHE_POLICY_H

#include <nanvix/runtime/mm/cache.h>

#define RCACHE_AGE_TURN 8u /* so many gets make all pages older */
#define RCACHE_AGE_NEW  0x80u
#define RCACHE_LONG_AGO (~0ul / 2) /* gets */

/* How many gets ago it was got last; the count may come round. */
static inline unsigned long rcache_unused(const struct __rcache_place *p) { return __rcache.gets - p->used; }

/* The lower, the sooner a page makes room. */
static inline uint64_t rcache_worth(int policy, const struct __rcache_place *p)
{
    switch (policy) {
    case RCACHE_LRU: return ~rcache_unused(p);
    case RCACHE_NRU: return (rcache_unused(p) <= __rcache.gets % RCACHE_AGE_TURN + 1) * 2u + p->changed;
    case RCACHE_AGING: return p->age;
    default: return p->since;
    }
}

/* It will not be got again soon. */
static inline void rcache_strike(struct __rcache_place *p)
{
    p->since = 0;
    p->age = 0;
    p->used = __rcache.gets - RCACHE_LONG_AGO;
}

static inline void rcache_grow_older(void)
{
    for (unsigned i = 0; i < RCACHE_LENGTH; i++)
        __rcache.place[i].age >>= 1;
}

#endif
