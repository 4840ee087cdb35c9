/* SPDX-License-Identifier: MIT */
/*
 * hal/cache.h - operations on data caches that no hardware keeps coherent, so that cores can share memory.
 *
 * A writer cleans its data, then signals (by a doorbell, or by a flag that it cleans last). A reader gets the signal,
 * invalidates, then reads. Two cores never write the same line, because a clean writes the whole line. All operations
 * are ordered with the loads and stores around them.
 *
 * <cache_ops.h> has what the machine does with a line; its order with loads and stores is made once a call, here. The
 * include path selects its folder: kernel/cache/riscv-marker and i386-marker are for the emulator, whose memory is
 * coherent; their instructions only inform the coherence checker (docs/coherence.md). kernel/cache/riscv-cmo is for
 * parts with Zicbom. It has inline:
 *
 *    CACHE_LINE                              bytes of a line, a power of two
 *    void cache_op_clean(const volatile void *p)  cache_op_invalidate  cache_op_clean_invalidate  cache_op_poll
 *                                            the operations below on one line, in no order with anything
 *    void cache_before(void)  cache_after(void)  what orders such operations with what is before, and what follows
 *    void cache_clean_all(void)  cache_invalidate_all(void)  cache_clean_invalidate_all(void)
 *
 * Any context. An address may be any one within the line; it must be mapped for reading.
 */
#ifndef AMALGAM_HAL_CACHE_H
#define AMALGAM_HAL_CACHE_H

#include <types.h>
#include <cache_ops.h>

/* Write the line to memory; the copy stays. */
static inline void cache_clean_line(const volatile void *p)
{
    cache_before();
    cache_op_clean(p);
    cache_after();
}

/* Drop the copy; writes that were not cleaned are lost. */
static inline void cache_invalidate_line(const volatile void *p)
{
    cache_before();
    cache_op_invalidate(p);
    cache_after();
}

static inline void cache_clean_invalidate_line(const volatile void *p)
{
    cache_before();
    cache_op_clean_invalidate(p);
    cache_after();
}

/* Invalidate; the next load of the line polls a flag. */
static inline void cache_poll_line(const volatile void *p)
{
    cache_before();
    cache_op_poll(p);
    cache_after();
}

/* Clean all lines of [p, p + n). n may be 0. */
static inline void cache_clean(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    cache_before();
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_op_clean((const volatile void *)at);
    cache_after();
}

/* Invalidate all lines of [p, p + n). Other data in the first and the last line is dropped, too. n may be 0. */
static inline void cache_invalidate(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    cache_before();
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_op_invalidate((const volatile void *)at);
    cache_after();
}

/* Clean, then invalidate all lines of [p, p + n). n may be 0. */
static inline void cache_clean_invalidate(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    cache_before();
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_op_clean_invalidate((const volatile void *)at);
    cache_after();
}

#endif
