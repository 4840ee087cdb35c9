/* SPDX-License-Identifier: MIT */
/*
 * memops.c - copies and fills by string instructions, a register's size at each step: fast on all machines of the last
 * decades, and short. %z is the suffix for an operand of that size.
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

/* If dst is above src and they overlap, copy backwards. */
void *memmove(void *dst, const void *src, size_t n)
{
    if ((size_t)((char *)dst - (const char *)src) >= n)
        return memcpy(dst, src, n);
    char *d = (char *)dst + n - 1;
    const char *s = (const char *)src + n - 1;
    __asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(n)::"memory");
    return dst;
}
