/* SPDX-License-Identifier: MIT */
/*
 * cache_ops.h (host) - hal/cache.h where memory is coherent. Under the thread sanitizer what a thread stores is others'
 * only after the line is drained here and their copies are invalidated there, in this order; volatile words are
 * uncached and order nothing (tests/unit/test_openmp_threads.c).
 */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#include <coherent.h>

#ifdef __SANITIZE_THREAD__
void omp_host_invalidate(void);
#else
static inline void omp_host_invalidate(void) {}
#endif

static inline void mpbt_invalidate(void) { omp_host_invalidate(); }

#endif
