/* SPDX-License-Identifier: MIT */
/* coherent.h - what hal/cache.h needs of <cache_ops.h> where memory is coherent: nothing is done. */
#ifndef AMALGAM_TESTS_COHERENT_H
#define AMALGAM_TESTS_COHERENT_H

#define CACHE_LINE 32

static inline void cache_before(void) {}
static inline void cache_after(void) {}
static inline void cache_op_clean(const volatile void *p) { (void)p; }
static inline void cache_op_invalidate(const volatile void *p) { (void)p; }
static inline void cache_op_clean_invalidate(const volatile void *p) { (void)p; }
static inline void cache_op_poll(const volatile void *p) { (void)p; }
static inline void cache_clean_all(void) {}

#endif
