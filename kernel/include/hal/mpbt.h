/* SPDX-License-Identifier: MIT */
/*
 * hal/mpbt.h - the SCC's message passing buffer type (Intel, SCC External Architecture Specification): lines of 32
 * bytes that are cached in L1 only, invalidated all at once, and written through a buffer of one line, which a store to
 * another such line drains. Only bytes that were written reach memory.
 *
 * A writer stores, then calls mpbt_drain(). A reader gets the signal, calls mpbt_invalidate(), then reads. To poll a
 * flag, call mpbt_invalidate() and cache_poll_line() of the flag before each load. <cache_ops.h> has inline:
 *
 *    void mpbt_invalidate(void)                   CL1INVMB: no MPBT line is in L1 any more
 *    void mpbt_page(const volatile void *p)       tell the checker that this core maps the page of p as MPBT from now
 * on, void mpbt_page_cached(...)                   or cached in L2, void mpbt_page_uncached(...)                 or not
 * cached; p must be mapped for reading
 */
#ifndef AMALGAM_HAL_MPBT_H
#define AMALGAM_HAL_MPBT_H

#include <hal/cache.h>

/* Bring this core's last stores to memory. `own_line` is an MPBT line that no other core uses. */
static inline void mpbt_drain(volatile u32 *own_line) { *own_line = 0; }

#endif
