/* SPDX-License-Identifier: MIT */
/* uchar.c - conversions of uchar.h in the C locale: a byte is a character. */
#include <errno.h>
#include <uchar.h>

#define BYTES 256

static size_t from_byte(uint32_t *to, const char *from, size_t n)
{
    if (from && !n)
        return (size_t)-2;
    *to = from ? (unsigned char)*from : 0;
    return *to != 0;
}

static size_t to_byte(char *to, uint32_t from)
{
    if (to && from >= BYTES) {
        errno = EILSEQ;
        return (size_t)-1;
    }
    if (to)
        *to = (char)from;
    return 1;
}

size_t mbrtoc32(char32_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state)
{
    uint32_t c = 0;
    size_t used = from_byte(&c, from, n);
    (void)state;
    if (to && from && n)
        *to = c;
    return used;
}

size_t mbrtoc16(char16_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state)
{
    char32_t c = 0;
    size_t used = mbrtoc32(&c, from, n, state);
    if (to && from && n)
        *to = (char16_t)c;
    return used;
}

size_t c32rtomb(char *restrict to, char32_t from, mbstate_t *restrict state)
{
    (void)state;
    return to_byte(to, from);
}

size_t c16rtomb(char *restrict to, char16_t from, mbstate_t *restrict state) { return c32rtomb(to, from, state); }
