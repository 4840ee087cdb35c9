/* SPDX-License-Identifier: MIT */
/* strtod.c - strtod(), strtof(), strtold(), in place of picolibc's, which keep 17 to 19 digits and read no hexadecimal
 * fractions. */
#include <ctype.h>
#include <stdlib.h>

#include "number.h"

/* Read the number at the beginning of a text, or 0. */
static void read_text(struct reader *r, const char *text, char **end)
{
    const char *at = text;
    reader_begin(r);
    while (isspace((unsigned char)*at))
        at++;
    for (size_t i = 0; reader_take(r, (unsigned char)at[i]); i++)
        ;
    if (end)
        *end = (char *)(r->accepted ? at + r->accepted : text);
    if (!r->accepted)
        reader_begin(r);
}

double strtod(const char *restrict text, char **restrict end)
{
    struct reader r;
    read_text(&r, text, end);
    return number_double(&r);
}

float strtof(const char *restrict text, char **restrict end)
{
    struct reader r;
    read_text(&r, text, end);
    return number_float(&r);
}

long double strtold(const char *restrict text, char **restrict end)
{
    struct reader r;
    read_text(&r, text, end);
    return number_long_double(&r);
}
