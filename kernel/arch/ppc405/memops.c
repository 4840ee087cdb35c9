/* SPDX-License-Identifier: MIT */
/* memops.c - copying and filling, by words where both ends are aligned. */
#include <string.h>
#include <core/partition.h>
#include <wcet.h>

/* Otherwise the compiler turns these loops into calls of themselves. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

void *memcpy(void *dst, const void *src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    if ((((uintptr_t)d | (uintptr_t)s) & 3) == 0)
        for (; n >= 4; n -= 4, d += 4, s += 4) {
            LOOP_BOUND(LOAD_STEP / 4);
            *(u32 *)d = *(const u32 *)s;
        }
    while (n--) {
        LOOP_BOUND(LOAD_STEP);
        *d++ = *s++;
    }
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    u8 *d = dst;
    u32 word = (u8)c * 0x01010101u;
    if (((uintptr_t)d & 3) == 0)
        for (; n >= 4; n -= 4, d += 4) {
            LOOP_BOUND(LOAD_STEP / 4);
            *(u32 *)d = word;
        }
    while (n--) {
        LOOP_BOUND(3); /* everything that we clear is aligned */
        *d++ = (u8)c;
    }
    return dst;
}
