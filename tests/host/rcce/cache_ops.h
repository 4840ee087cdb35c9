/* SPDX-License-Identifier: MIT */
/* cache_ops.h (host) - hal/cache.h and hal/mpbt.h where memory is coherent and no checker looks. */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#define CACHE_LINE 32

static inline void cache_before(void) {}
static inline void cache_after(void) {}
static inline void cache_op_clean(const volatile void *p) { (void)p; }
static inline void cache_op_invalidate(const volatile void *p) { (void)p; }
static inline void cache_op_clean_invalidate(const volatile void *p) { (void)p; }
static inline void cache_op_poll(const volatile void *p) { (void)p; }
static inline void cache_clean_all(void) {}
static inline void mpbt_invalidate(void) {}

#endif
