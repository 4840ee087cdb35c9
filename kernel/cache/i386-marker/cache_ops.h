/* SPDX-License-Identifier: MIT */
/*
 * cache_ops.h (i386-marker) - hal/cache.h and hal/mpbt.h for QEMU's coherent memory. Each operation is one instruction
 * that changes only flags and that the coherence checker recognizes (tools/plugin/coherence_marker.c): 82 /7, the
 * second encoding of cmpb $imm8, which a Pentium has and no assembler emits.
 */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#define CACHE_LINE 32

#define CACHE_MARKER_LINE(n, p) asm volatile(".byte 0x82, 0x38, " #n ::"a"(p) : "memory", "cc")
#define CACHE_MARKER_ALL(n)     asm volatile(".byte 0x82, 0xf8, " #n ::: "memory", "cc")

static inline void cache_before(void) {}
static inline void cache_after(void) {}
static inline void cache_op_clean(const volatile void *p) { CACHE_MARKER_LINE(1, p); }
static inline void cache_op_invalidate(const volatile void *p) { CACHE_MARKER_LINE(2, p); }
static inline void cache_op_clean_invalidate(const volatile void *p) { CACHE_MARKER_LINE(3, p); }
static inline void cache_op_poll(const volatile void *p) { CACHE_MARKER_LINE(4, p); }

static inline void cache_clean_all(void) { CACHE_MARKER_ALL(1); }
static inline void cache_invalidate_all(void) { CACHE_MARKER_ALL(2); }
static inline void cache_clean_invalidate_all(void) { CACHE_MARKER_ALL(3); }

/* Mark a point in the program for the checker's clocks (docs/coherence.md); `n` is a constant below 240. */
#define CACHE_MARK(n) asm volatile(".byte 0x82, 0xf8, 16 + %c0" ::"i"(n) : "memory", "cc")

/* Tell the checker, which cannot see it, that this core's next interrupt by its local APIC is for `core`. `base`:
 * readable memory, aligned to 512 bytes. */
static inline void cache_mark_bell(const volatile void *base, unsigned core)
{
    CACHE_MARKER_LINE(8, (const volatile char *)base + core);
}

/* For the same clocks: this core begins and ends to serve another one, which its work does not wait for; the work goes
 * on because of what is served now; the page of p, mapped for reading, is taken away from the work. */
static inline void cache_mark_serve(void) { CACHE_MARKER_ALL(5); }
static inline void cache_mark_served(void) { CACHE_MARKER_ALL(6); }
static inline void cache_mark_awaited(void) { CACHE_MARKER_ALL(7); }
static inline void cache_mark_leave(const volatile void *p) { CACHE_MARKER_LINE(9, p); }

/* The SCC's operations (hal/mpbt.h). */
static inline void mpbt_invalidate(void) { CACHE_MARKER_ALL(4); }
static inline void mpbt_page(const volatile void *p) { CACHE_MARKER_LINE(5, p); }
static inline void mpbt_page_cached(const volatile void *p) { CACHE_MARKER_LINE(6, p); }
static inline void mpbt_page_uncached(const volatile void *p) { CACHE_MARKER_LINE(7, p); }

#endif
