/* SPDX-License-Identifier: MIT */
/*
 * format.c - formats of Nanvix' printf: ISO C's, and "%l" alone, which is an unsigned long in decimal (the benchmarks
 * print times by it). It is "%l" when none of ISO C's conversions follows.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "nanvix.h"

/* Returns whether `at` begins with a "%l" without a conversion. */
static bool is_bare(const char *at)
{
    return at[0] == '%' && at[1] == 'l' && (!at[2] || !strchr("ldiouxXcsneEfFgGaA", at[2]));
}

/* Copy a format with "%lu" for each bare "%l"; with `to` NULL only count. Returns its length. */
static size_t rewrite(char *to, const char *format)
{
    size_t n = 0;
    while (*format) {
        size_t part = format[0] == '%' && format[1] ? 2 : 1; /* "%%l" is none */
        if (to)
            memcpy(to + n, format, part);
        n += part;
        if (is_bare(format)) {
            if (to)
                to[n] = 'u';
            n++;
        }
        format += part;
    }
    if (to)
        to[n] = '\0';
    return n;
}

int nanvix_vsnprintf(char *to, size_t n, const char *format, va_list arguments)
{
    size_t length = rewrite(NULL, format);
    if (length == strlen(format))
        return vsnprintf(to, n, format, arguments);
    char rewritten[length + 1];
    rewrite(rewritten, format);
    return vsnprintf(to, n, rewritten, arguments);
}

int nanvix_sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = nanvix_vsnprintf(to, INT_MAX, format, arguments);
    va_end(arguments);
    return n;
}
