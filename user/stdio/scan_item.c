/* SPDX-License-Identifier: MIT */
/*
 * scan_item.c - reads the items of scanf(): integers, floating point, characters and strings.
 *
 * An item is the longest run of characters that can begin one (C17 7.21.6.2): "1e+x" fails for %f, because "1e+" can
 * begin a number and is none. One character behind an item is read and given back.
 */
#include <ctype.h>
#include <wchar.h>

#include "number.h"
#include "scan.h"

#define NO_CHARACTER (-2) /* the width is used up */

int input_take(struct input *in)
{
    int c = getc_unlocked(in->file);
    in->n += c != EOF;
    return c;
}

void input_return(struct input *in, int c)
{
    if (c < 0)
        return;
    ungetc(c, in->file);
    in->n--;
}

void input_skip_space(struct input *in)
{
    int c;
    do
        c = input_take(in);
    while (c != EOF && isspace(c));
    input_return(in, c);
}

bool set_has(const unsigned char *set, int c) { return set[c >> 3 & 31] >> (c & 7) & 1; }

static int next(struct input *in, int *width)
{
    if (!*width)
        return NO_CHARACTER;
    --*width;
    return input_take(in);
}

void scan_store(char length, void *to, uintmax_t value)
{
    switch (length) {
    case 'H': *(unsigned char *)to = (unsigned char)value; break;
    case 'h': *(unsigned short *)to = (unsigned short)value; break;
    case 'l': *(unsigned long *)to = (unsigned long)value; break;
    case 'z':
    case 't': *(size_t *)to = (size_t)value; break;
    case 'j':
    case 'q':
    case 'L': *(uintmax_t *)to = value; break;
    default: *(unsigned *)to = (unsigned)value; break;
    }
}

static unsigned digit_of(int c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return c >= 0 && isalpha(c) ? (unsigned)((c | 0x20) - 'a' + 10) : 99;
}

/* `base` 0: as the prefix says. */
static enum scanned scan_integer(struct input *in, const struct directive *d, unsigned base, void *to)
{
    int width = d->width, c = next(in, &width);
    bool negative = c == '-', has_digits = false;
    uintmax_t value = 0;
    if (c == '+' || c == '-')
        c = next(in, &width);
    if (c == '0' && (base == 0 || base == 16)) {
        has_digits = true;
        c = next(in, &width);
        if (c >= 0 && (c | 0x20) == 'x') {
            has_digits = false;
            base = 16;
            c = next(in, &width);
        } else if (!base) {
            base = 8;
        }
    }
    for (base = base ? base : 10; digit_of(c) < base; c = next(in, &width)) {
        value = value * base + digit_of(c);
        has_digits = true;
    }
    input_return(in, c);
    if (has_digits && to)
        scan_store(d->length, to, negative ? -value : value);
    return has_digits ? SCANNED : MISMATCH;
}

static enum scanned scan_float(struct input *in, const struct directive *d, void *to)
{
    struct reader r;
    int width = d->width, c = next(in, &width);
    size_t fed = 0;
    reader_begin(&r);
    for (; c >= 0 && reader_take(&r, c); c = next(in, &width))
        fed++;
    input_return(in, c);
    if (!fed || fed != r.accepted)
        return MISMATCH;
    if (to && d->length == 'L')
        *(long double *)to = number_long_double(&r);
    else if (to && d->length == 'l')
        *(double *)to = number_double(&r);
    else if (to)
        *(float *)to = number_float(&r);
    return SCANNED;
}

static bool belongs(const struct directive *d, int c)
{
    return d->letter == 'c' || (d->letter == 's' ? !isspace(c) : set_has(d->set, c));
}

/* Read characters, as bytes or wide ones; behind those of %s and %[ stands a null character. */
static enum scanned scan_characters(struct input *in, const struct directive *d, void *to)
{
    int width = d->width, c;
    size_t n = 0;
    char *bytes = d->length == 'l' ? NULL : to;
    wchar_t *wide = d->length == 'l' ? to : NULL;
    for (; (c = next(in, &width)) >= 0 && belongs(d, c); n++) {
        if (bytes)
            bytes[n] = (char)c;
        if (wide)
            wide[n] = (wchar_t)c;
    }
    input_return(in, c);
    if (d->letter == 'c')
        return c == NO_CHARACTER ? SCANNED : MISMATCH;
    if (!n)
        return c == EOF ? INPUT_FAILURE : MISMATCH;
    if (bytes)
        bytes[n] = '\0';
    if (wide)
        wide[n] = L'\0';
    return SCANNED;
}

enum scanned scan_item(struct input *in, const struct directive *d, void *to)
{
    switch (d->letter) {
    case 'd':
    case 'u': return scan_integer(in, d, 10, to);
    case 'i': return scan_integer(in, d, 0, to);
    case 'o': return scan_integer(in, d, 8, to);
    case 'x':
    case 'X':
    case 'p': return scan_integer(in, d, 16, to);
    case 'c':
    case 's':
    case '[': return scan_characters(in, d, to);
    default: return scan_float(in, d, to);
    }
}
