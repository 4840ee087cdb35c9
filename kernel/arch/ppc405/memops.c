/* SPDX-License-Identifier: MIT */
/* memops.c - fills memory by words. They need no alignment on this hardware. */
#include <string.h>
#include <partition/partition.h>
#include <wcet.h>

/* Otherwise the compiler turns these loops into calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

typedef u32 word __attribute__((aligned(1), may_alias));

void *memset(void *dst, int c, size_t n)
{
    u8 *d = dst;
    for (; n >= 4; n -= 4, d += 4) {
        LOOP_BOUND(LOAD_STEP / 4);
        *(word *)d = (u8)c * 0x01010101u;
    }
    for (; n; n--) {
        LOOP_BOUND(3);
        *d++ = (u8)c;
    }
    return dst;
}
