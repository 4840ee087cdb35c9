/* SPDX-License-Identifier: MIT */
/*
 * print.c - print() of all our guests, by put_char() of each board's library: %c %s %p, and %d %u %x with l, a width
 * and 0. An unsigned long is as wide as a register, so no division needs a library function.
 */
#include <guest.h>
#include <stdarg.h>
#include <stdbool.h>

static void put_number(unsigned long value, unsigned base, bool negative, unsigned width, char fill)
{
    char digits[24];
    unsigned n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (negative)
        digits[n++] = '-';
    for (unsigned i = n; i < width; i++)
        put_char(fill);
    while (n)
        put_char(digits[--n]);
}

static void put_text(const char *s)
{
    while (*s)
        put_char(*s++);
}

void print(const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    for (; *f; f++) {
        if (*f != '%') {
            put_char(*f);
            continue;
        }
        char fill = *++f == '0' ? '0' : ' ';
        unsigned width = 0;
        bool wide = false;
        for (; *f >= '0' && *f <= '9'; f++)
            width = width * 10 + (unsigned)(*f - '0');
        for (; *f == 'l'; f++)
            wide = true;
        if (*f == 'd') {
            long v = wide ? va_arg(ap, long) : va_arg(ap, int);
            put_number(v < 0 ? 0ul - (unsigned long)v : (unsigned long)v, 10, v < 0, width, fill);
        } else if (*f == 'u' || *f == 'x') {
            put_number(wide ? va_arg(ap, unsigned long) : va_arg(ap, unsigned), *f == 'u' ? 10 : 16, false, width,
                       fill);
        } else if (*f == 'p') {
            put_number((unsigned long)va_arg(ap, void *), 16, false, 2 * sizeof(void *), '0');
        } else if (*f == 's') {
            put_text(va_arg(ap, const char *));
        } else if (*f == 'c') {
            put_char((char)va_arg(ap, int));
        } else {
            put_char(*f);
        }
    }
    va_end(ap);
}
