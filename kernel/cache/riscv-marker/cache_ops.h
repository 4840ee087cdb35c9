/* SPDX-License-Identifier: MIT */
/*
 * cache_ops.h (riscv-marker) - hal/cache.h for QEMU's coherent memory. Each operation is one instruction that changes
 * nothing and that the coherence checker recognizes (tools/plugin/riscv_marker.h). A load to x0 may fault like any
 * load. It moves no data, so one fence orders all that is before a call with all that follows.
 */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#define CACHE_LINE 64

#define CACHE_FENCE "fence rw, rw"

static inline void cache_before(void) { asm volatile(CACHE_FENCE ::: "memory"); }
static inline void cache_after(void) {}
static inline void cache_op_clean(const volatile void *p) { asm volatile("lb x0, 0(%0)" ::"r"(p) : "memory"); }
static inline void cache_op_invalidate(const volatile void *p) { asm volatile("lh x0, 0(%0)" ::"r"(p) : "memory"); }
static inline void cache_op_clean_invalidate(const volatile void *p)
{
    asm volatile("lbu x0, 0(%0)" ::"r"(p) : "memory");
}
static inline void cache_op_poll(const volatile void *p) { asm volatile("lhu x0, 0(%0)" ::"r"(p) : "memory"); }

static inline void cache_clean_all(void) { asm volatile(CACHE_FENCE "\n\tslti x0, x0, 1" ::: "memory"); }
static inline void cache_invalidate_all(void) { asm volatile(CACHE_FENCE "\n\tslti x0, x0, 2" ::: "memory"); }
static inline void cache_clean_invalidate_all(void) { asm volatile(CACHE_FENCE "\n\tslti x0, x0, 3" ::: "memory"); }

#endif
