/* SPDX-License-Identifier: MIT */
/*
 * hal/mpbt.h - the SCC's message passing buffer type (Intel, SCC External Architecture Specification): lines of 32
 * bytes that are in L1 only, invalidated all at once, and written through a buffer of one line, which a store to
 * another such line drains. Only the bytes that were written reach memory.
 *
 * A writer stores, then mpbt_drain(). A reader is told, then mpbt_invalidate(), then reads; who polls a flag calls
 * mpbt_invalidate() and cache_poll_line() of the flag before each load. <cache_ops.h> has inline:
 *
 *   void mpbt_invalidate(void)                          CL1INVMB: no MPBT line is in L1 any more
 *   void mpbt_page(const volatile void *p)              tell the checker how this core maps the page of p from now on:
 * MPBT, void mpbt_page_cached(...)  mpbt_page_uncached(...) through L2, or not cached; p must be mapped for reading
 */
#ifndef AMALGAM_HAL_MPBT_H
#define AMALGAM_HAL_MPBT_H

#include <hal/cache.h>

/* Bring what this core has stored last to memory. `own_line` is an MPBT line that no other core uses. */
static inline void mpbt_drain(volatile u32 *own_line) { *own_line = 0; }

#endif
