/* SPDX-License-Identifier: MIT */
/* cache_ops.h for the host: the operations of the SCC's memory type are counted. */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#include <coherent.h>

extern unsigned host_invalidates;
void host_others_end(void); /* at the end of a barrier: what other members' calls have come to */

#define CACHE_MARK(n) ((void)(n))
static inline void cache_mark_serve(void) {}
static inline void cache_mark_served(void) {}
static inline void cache_mark_awaited(void) {}
static inline void cache_mark_bell(const volatile void *base, unsigned core) { (void)base, (void)core; }
static inline void cache_mark_leave(const volatile void *p) { (void)p; }

static inline void mpbt_invalidate(void)
{
    host_invalidates++;
    host_others_end();
}
static inline void mpbt_page(const volatile void *p) { (void)p; }

#endif
