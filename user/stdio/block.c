/* SPDX-License-Identifier: MIT */
/* block.c - fread() and fwrite(): objects of a size. */
#include "stream.h"

size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict f)
{
    unsigned char *at = to;
    size_t objects = 0;
    if (!size)
        return 0;
    stream_lock(f);
    for (; objects < count; objects++) {
        size_t n = size;
        for (int c; n && (c = getc_unlocked(f)) != EOF; n--)
            *at++ = (unsigned char)c;
        if (n)
            break;
    }
    stream_unlock(f);
    return objects;
}

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict f)
{
    const unsigned char *at = from;
    size_t objects = 0;
    if (!size)
        return 0;
    stream_lock(f);
    for (; objects < count; objects++) {
        size_t n = size;
        for (; n && putc_unlocked(*at, f) != EOF; n--)
            at++;
        if (n)
            break;
    }
    stream_unlock(f);
    return objects;
}
