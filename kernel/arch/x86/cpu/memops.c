/* SPDX-License-Identifier: MIT */
/*
 * memops.c - copying and filling by string instructions, eight bytes a step: fast on
 * every AMD-V machine, and short.
 */
#include <string.h>

void *memcpy(void *dst, const void *src, size_t n)
{
    void *d = dst;
    size_t words = n / 8, rest = n % 8;
    __asm__ volatile("rep movsq; mov %3, %2; rep movsb" : "+D"(d), "+S"(src), "+c"(words) : "r"(rest) : "memory");
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    void *d = dst;
    size_t words = n / 8, rest = n % 8;
    __asm__ volatile("rep stosq; mov %2, %1; rep stosb"
                     : "+D"(d), "+c"(words)
                     : "r"(rest), "a"((u8)c * 0x0101010101010101ull)
                     : "memory");
    return dst;
}

/* Overlap with dst above src is copied backwards. */
void *memmove(void *dst, const void *src, size_t n)
{
    if ((size_t)((char *)dst - (const char *)src) >= n)
        return memcpy(dst, src, n);
    char *d = (char *)dst + n - 1;
    const char *s = (const char *)src + n - 1;
    __asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(n)::"memory");
    return dst;
}
