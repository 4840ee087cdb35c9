/* SPDX-License-Identifier: MIT */
/*
 * hal/cache.h - data caches that no hardware keeps coherent, and the operations that make memory between cores work.
 *
 * A writer cleans what it wrote, then tells (a doorbell, or a flag that it cleans last). A reader is told, then
 * invalidates, then reads. Two cores never write the same line, as a clean writes the whole of it. All operations are
 * ordered with the loads and stores around them.
 *
 * <cache_ops.h> implements the functions marked "inline" below. Which one is a folder on the include path:
 * kernel/cache/riscv-marker and i386-marker are for the emulator, whose memory is coherent: the instructions do nothing
 * there but tell the coherence checker (docs/coherence.md). kernel/cache/riscv-cmo is for parts with Zicbom.
 *
 *   CACHE_LINE                              bytes of a line, a power of two
 *   inline void cache_clean_line(const volatile void *p)       bring the line to memory; the copy stays
 *   inline void cache_invalidate_line(const volatile void *p)  drop the copy; what was written and not cleaned is lost
 *   inline void cache_clean_invalidate_line(const volatile void *p)
 *   inline void cache_poll_line(const volatile void *p)        invalidate; the next load of the line polls a flag
 *   inline void cache_clean_all(void)  cache_invalidate_all(void)  cache_clean_invalidate_all(void)
 *
 * Any context. An address is any one within the line; it must be mapped for reading.
 */
#ifndef AMALGAM_HAL_CACHE_H
#define AMALGAM_HAL_CACHE_H

#include <types.h>
#include <cache_ops.h>

/* Clean all lines of [p, p + n). n may be 0. */
static inline void cache_clean(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_clean_line((const volatile void *)at);
}

/* Invalidate all lines of [p, p + n). What else lies in the first and the last line is dropped, too. n may be 0. */
static inline void cache_invalidate(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_invalidate_line((const volatile void *)at);
}

/* Clean, then invalidate all lines of [p, p + n). n may be 0. */
static inline void cache_clean_invalidate(const volatile void *p, size_t n)
{
    uintptr_t end = (uintptr_t)p + n;
    for (uintptr_t at = (uintptr_t)p & -(uintptr_t)CACHE_LINE; n && at < end; at += CACHE_LINE)
        cache_clean_invalidate_line((const volatile void *)at);
}

#endif
