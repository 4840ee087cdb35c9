/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/mm/cache.h - remote pages (stub.h) of which some are here. The calling threads share them and keep
 * them from each other by themselves.
 */
#ifndef NANVIX_RUNTIME_MM_CACHE_H_
#define NANVIX_RUNTIME_MM_CACHE_H_

#include <nanvix/runtime/mm/stub.h>

#define RCACHE_LENGTH 32 /* pages that are here at most */
#define RCACHE_SIZE   RCACHE_LENGTH

/* Which page makes room: with BYPASS each that nobody holds, at once; with FIFO the one that has been here longest;
 * with LRU the one that was got longest ago; with NRU one that was not got for a while, at best unchanged; with AGING
 * the one that was got least of late. */
#define RCACHE_BYPASS 0
#define RCACHE_FIFO   1
#define RCACHE_LRU    2
#define RCACHE_NRU    3
#define RCACHE_AGING  4

#define __RCACHE_DEFAULT_REPLACEMENT RCACHE_FIFO

#include <nanvix/runtime/mm/cache_hit.h>

struct rcache_stats {
    unsigned nallocs, nfrees, ngets, nputs, nmisses, nhits;
};

extern rpage_t nanvix_rcache_alloc(void);
/* Forget what is here of a page, and free it. Returns as nanvix_rmem_free(). While somebody holds it, its place here
 * has no other page; each put of it is -EFAULT. */
extern int nanvix_rcache_free(rpage_t page);
/* Returns where the page is, until nanvix_rcache_put() is called as often. It may be changed there. NULL, and an error
 * in errno: those of nanvix_rmem_read(); EBUSY: all pages that are here are held; EIO also if none of them can be
 * written back. */
static inline void *nanvix_rcache_get(rpage_t page) { return __rcache_get(page, true); }
/* The same, of a page that is not changed, and so needs not be written back. */
static inline const void *nanvix_rcache_peek(rpage_t page) { return __rcache_get(page, false); }
/* Let a page go. `strike`, not 0: it will not be got again soon. -EFAULT: nobody holds it here; -EIO: with BYPASS, it
 * could not be written back, and stays. */
static inline int nanvix_rcache_put(rpage_t page, int strike) { return __rcache_put(page, strike); }
/* Write all changed pages back. -EIO: a server does not answer. */
extern int nanvix_rcache_flush(void);
/* -EINVAL: no such policy; -EBUSY: pages are here that are held. */
extern int nanvix_rcache_select_replacement_policy(int policy);
extern int nanvix_rcache_stats(struct rcache_stats *buf);

#endif
