/* SPDX-License-Identifier: MIT */
/* memops.c - copies and fills memory. Words are used if both ends are aligned alike, eight words a step. */
#include <string.h>

/* Otherwise the compiler turns a loop of memset into a call of memset. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

typedef unsigned long __attribute__((may_alias)) word;
#define W sizeof(word)

void *memcpy(void *dst, const void *src, size_t n)
{
    u8 *d = dst;
    const u8 *s = src;
    if (!(((size_t)d ^ (size_t)s) % W)) {
        for (; n && (size_t)d % W; n--)
            *d++ = *s++;
        for (; n >= 8 * W; n -= 8 * W, d += 8 * W, s += 8 * W) {
            word a = ((const word *)s)[0], b = ((const word *)s)[1], c = ((const word *)s)[2], e = ((const word *)s)[3];
            ((word *)d)[0] = a;
            ((word *)d)[1] = b;
            ((word *)d)[2] = c;
            ((word *)d)[3] = e;
            a = ((const word *)s)[4], b = ((const word *)s)[5], c = ((const word *)s)[6], e = ((const word *)s)[7];
            ((word *)d)[4] = a;
            ((word *)d)[5] = b;
            ((word *)d)[6] = c;
            ((word *)d)[7] = e;
        }
        for (; n >= W; n -= W, d += W, s += W)
            *(word *)d = *(const word *)s;
    }
    while (n--)
        *d++ = *s++;
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    u8 *d = dst;
    word all = (u8)c * (~0ul / 255);
    for (; n && (size_t)d % W; n--)
        *d++ = (u8)c;
    for (; n >= 8 * W; n -= 8 * W, d += 8 * W) {
        ((word *)d)[0] = all;
        ((word *)d)[1] = all;
        ((word *)d)[2] = all;
        ((word *)d)[3] = all;
        ((word *)d)[4] = all;
        ((word *)d)[5] = all;
        ((word *)d)[6] = all;
        ((word *)d)[7] = all;
    }
    for (; n >= W; n -= W, d += W)
        *(word *)d = all;
    while (n--)
        *d++ = (u8)c;
    return dst;
}

/* Overlap with dst above src is copied backwards. */
void *memmove(void *dst, const void *src, size_t n)
{
    if ((size_t)((char *)dst - (const char *)src) >= n)
        return memcpy(dst, src, n);
    while (n--)
        ((u8 *)dst)[n] = ((const u8 *)src)[n];
    return dst;
}
