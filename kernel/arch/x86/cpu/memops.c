/* SPDX-License-Identifier: MIT */
/*
 * memops.c - copying and filling by string instructions, a register's bytes a step: fast on every machine of the last
 * decades, and short. %z is the suffix for an operand of that many bytes.
 */
#include <string.h>

#define WORD sizeof(size_t)

void *memcpy(void *dst, const void *src, size_t n)
{
    void *d = dst;
    size_t words = n / WORD, rest = n % WORD;
    __asm__ volatile("rep movs%z2; mov %3, %2; rep movsb" : "+D"(d), "+S"(src), "+c"(words) : "r"(rest) : "memory");
    return dst;
}

void *memset(void *dst, int c, size_t n)
{
    void *d = dst;
    size_t words = n / WORD, rest = n % WORD;
    __asm__ volatile("rep stos%z1; mov %2, %1; rep stosb"
                     : "+D"(d), "+c"(words)
                     : "r"(rest), "a"((u8)c * (~0ul / 255))
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
