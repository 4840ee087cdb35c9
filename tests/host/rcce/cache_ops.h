/* SPDX-License-Identifier: MIT */
/* cache_ops.h (host) - hal/cache.h and hal/mpbt.h where memory is coherent and no checker looks. */
#ifndef AMALGAM_CACHE_OPS_H
#define AMALGAM_CACHE_OPS_H

#include <coherent.h>

static inline void mpbt_invalidate(void) {}

#endif
