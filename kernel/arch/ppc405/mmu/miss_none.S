/* SPDX-License-Identifier: MIT */
/* miss_none.S - replaces miss.S without CONFIG_FAST or CONFIG_TLBV: all misses go to C. */
#include <arch/entry.h>

VECTOR 1100
    TO_C    VEC_DTLB
VECTOR 1200
    TO_C    VEC_ITLB
