/* SPDX-License-Identifier: MIT */
/* conversion.c - reads the conversions of printf's formats. */
#include <limits.h>
#include <string.h>

#include "format.h"

static int read_number(const char **at)
{
    int n = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, **at - '0', &n))
            n = INT_MAX;
    return n;
}

/* Read "*" or "*N$". Returns N, or 0; -1 if there is no "*". */
static int read_star(const char **at)
{
    if (**at != '*')
        return -1;
    const char *behind = ++*at;
    int n = read_number(&behind);
    if (*behind != '$')
        return 0;
    *at = behind + 1;
    return n;
}

static unsigned read_flags(const char **at)
{
    static const char all[] = "-+ #0'"; /* the last one groups thousands, which the C locale does not */
    unsigned flags = 0;
    for (const char *found; **at && (found = strchr(all, **at)); ++*at)
        flags |= 1u << (found - all);
    return flags;
}

static char read_length(const char **at)
{
    char c = **at;
    if (!c || !strchr("hljztL", c))
        return 0;
    if (*++*at != c || (c != 'h' && c != 'l'))
        return c;
    ++*at;
    return c == 'h' ? 'H' : 'q';
}

const char *conversion_read(const char *at, struct conversion *c)
{
    const char *behind = at;
    *c = (struct conversion){ .precision = -1, .precision_of = -1 };
    int n = read_number(&behind);
    if (*behind == '$') {
        c->number = n;
        at = behind + 1;
    }
    c->flags = read_flags(&at);
    c->width_of = read_star(&at);
    c->width = read_number(&at);
    if (*at == '.') {
        at++;
        c->precision_of = read_star(&at);
        c->precision = read_number(&at);
    }
    c->length = read_length(&at);
    c->letter = *at;
    return *at ? at + 1 : at;
}

enum kind conversion_kind(const struct conversion *c)
{
    if (!c->letter || !strchr("diouxXcspneEfFgGaA", c->letter))
        return NONE;
    if (strchr("spn", c->letter))
        return POINTER;
    if (strchr("eEfFgGaA", c->letter))
        return c->length == 'L' ? LONG_DOUBLE : DOUBLE;
    switch (c->length) {
    case 'l': return c->letter == 'c' ? INT : LONG; /* wint_t */
    case 'q':
    case 'L': return LONG_LONG;
    case 'j': return MAX;
    case 'z': return SIZE;
    case 't': return DIFFERENCE;
    default: return INT;
    }
}
