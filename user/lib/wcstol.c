/* SPDX-License-Identifier: MIT */
/*
 * wcstol.c - integers of wide characters, in place of picolibc's, which take any base and set no end for a bad one. All
 * read a magnitude of 64 bits, and differ in what fits.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <wchar.h>
#include <wctype.h>

#define MOST_BASE 36

static int digit_of(wchar_t c)
{
    if (c >= L'0' && c <= L'9')
        return (int)(c - L'0');
    if (c >= L'a' && c <= L'z')
        return (int)(c - L'a') + 10;
    return c >= L'A' && c <= L'Z' ? (int)(c - L'A') + 10 : MOST_BASE;
}

/* Read a number whose magnitude is at most `most`, or `most_negative` behind a minus sign. Returns it as two's
 * complement; more is ERANGE and the bound. */
static uint64_t read_number(const wchar_t *text, wchar_t **end, int base, uint64_t most, uint64_t most_negative)
{
    const wchar_t *at = text, *behind = text;
    uint64_t value = 0;
    bool over = false;
    if (end)
        *end = (wchar_t *)text;
    if (base < 0 || base == 1 || base > MOST_BASE) {
        errno = EINVAL;
        return 0;
    }
    while (iswspace((wint_t)*at))
        at++;
    bool negative = *at == L'-';
    at += negative || *at == L'+';
    if ((base == 0 || base == 16) && at[0] == L'0' && (at[1] | 0x20) == L'x' && digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == L'0' ? 8 : 10;
    }
    uint64_t bound = negative ? most_negative : most;
    for (int digit; (digit = digit_of(*at)) < base; behind = ++at) {
        over |= value > (bound - (uint64_t)digit) / (uint64_t)base;
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    if (end)
        *end = (wchar_t *)behind;
    if (over) {
        errno = ERANGE;
        value = bound;
        negative = negative && most != most_negative; /* what has no sign is its largest number */
    }
    return negative ? -value : value;
}

long wcstol(const wchar_t *restrict text, wchar_t **restrict end, int base)
{
    return (long)read_number(text, end, base, LONG_MAX, (uint64_t)LONG_MAX + 1);
}

unsigned long wcstoul(const wchar_t *restrict text, wchar_t **restrict end, int base)
{
    return (unsigned long)read_number(text, end, base, ULONG_MAX, ULONG_MAX);
}

long long wcstoll(const wchar_t *restrict text, wchar_t **restrict end, int base)
{
    return (long long)read_number(text, end, base, LLONG_MAX, (uint64_t)LLONG_MAX + 1);
}

unsigned long long wcstoull(const wchar_t *restrict text, wchar_t **restrict end, int base)
{
    return read_number(text, end, base, ULLONG_MAX, ULLONG_MAX);
}

intmax_t wcstoimax(const wchar_t *restrict text, wchar_t **restrict end, int base) { return wcstoll(text, end, base); }

uintmax_t wcstoumax(const wchar_t *restrict text, wchar_t **restrict end, int base)
{
    return wcstoull(text, end, base);
}
