/* SPDX-License-Identifier: MIT */
/* memcpy.c - copies memory by words. They need no alignment on this hardware. */
#include <string.h>
#include <partition/partition.h>
#include <wcet.h>

/* Otherwise the compiler turns these loops into calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

typedef u32 word __attribute__((aligned(1), may_alias));

void *memcpy(void *dst, const void *src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    for (; n >= 4; n -= 4, d += 4, s += 4) {
        LOOP_BOUND(LOAD_STEP / 4);
        *(word *)d = *(const word *)s;
    }
    for (; n; n--) {
        LOOP_BOUND(3);
        *d++ = *s++;
    }
    return dst;
}
