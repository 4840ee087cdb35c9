/* SPDX-License-Identifier: MIT */
/* miss_none.S - instead of miss.S where there is no CONFIG_FAST, or no CONFIG_TLBV: a guest in real mode misses what is not shown yet. */
#include <arch/entry.h>

VECTOR 1100
    TO_C    VEC_DTLB
VECTOR 1200
    TO_C    VEC_ITLB
