/* SPDX-License-Identifier: MIT */
/* string.c - see string.h. Copying and filling are in the architecture's memops.c, which has instructions for them. */
#include <string.h>

/* Otherwise the compiler turns the loop in strlen into a call of strlen. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")

int memcmp(const void *a, const void *b, size_t n)
{
    const u8 *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

size_t strnlen(const char *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return (u8)*a - (u8)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n && *a && *a == *b; n--, a++, b++)
        ;
    return n ? (u8)*a - (u8)*b : 0;
}

size_t strlcpy(char *dst, const char *src, size_t size)
{
    size_t n = strlen(src);
    if (size) {
        size_t copy = MIN(n, size - 1);
        memcpy(dst, src, copy);
        dst[copy] = '\0';
    }
    return n;
}
