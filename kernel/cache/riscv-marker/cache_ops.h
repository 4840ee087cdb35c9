/* SPDX-License-Identifier: MIT */
/*
 * cache_ops.h (riscv-marker) - hal/cache.h for QEMU's coherent memory. Each operation is one instruction that changes
 * nothing and that the coherence checker recognizes (tools/plugin/coherence_marker.c). A load to x0 may fault like any
 * load.
 */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#define CACHE_LINE 64

static inline void cache_clean_line(const volatile void *p) { asm volatile("lb x0, 0(%0)" ::"r"(p) : "memory"); }
static inline void cache_invalidate_line(const volatile void *p) { asm volatile("lh x0, 0(%0)" ::"r"(p) : "memory"); }
static inline void cache_clean_invalidate_line(const volatile void *p)
{
    asm volatile("lbu x0, 0(%0)" ::"r"(p) : "memory");
}
static inline void cache_poll_line(const volatile void *p) { asm volatile("lhu x0, 0(%0)" ::"r"(p) : "memory"); }

static inline void cache_clean_all(void) { asm volatile("slti x0, x0, 1" ::: "memory"); }
static inline void cache_invalidate_all(void) { asm volatile("slti x0, x0, 2" ::: "memory"); }
static inline void cache_clean_invalidate_all(void) { asm volatile("slti x0, x0, 3" ::: "memory"); }

#endif
