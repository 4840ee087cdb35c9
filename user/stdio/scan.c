/* SPDX-License-Identifier: MIT */
/*
 * scan.c - vfscanf() as C17 7.21.6.2 has it, with POSIX' arguments by number (%2$d). It replaces picolibc 1.7.9's,
 * which has no long double, no %a, and takes "0x" for 0. Characters are bytes, also as wide ones (%ls). It allocates
 * nothing (no %ms).
 */
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "scan.h"
#include "stream.h"

/* A va_list that can be passed on by its address on all machines. */
struct pointers {
    va_list next, all;
};

static void *pointer(struct pointers *from, int number)
{
    if (!number)
        return va_arg(from->next, void *);
    va_list list;
    va_copy(list, from->all);
    void *p = va_arg(list, void *);
    while (--number > 0)
        p = va_arg(list, void *);
    va_end(list);
    return p;
}

static int read_number(const char **at)
{
    int n = 0;
    for (; isdigit((unsigned char)**at); ++*at)
        n = n < INT_MAX / 10 - 1 ? n * 10 + (**at - '0') : INT_MAX / 10;
    return n;
}

/* Read a set behind its '['. Returns what is behind its ']', or where the format ends. */
static const char *read_set(const char *at, unsigned char *set)
{
    memset(set, 0, 32);
    bool inverted = *at == '^';
    at += inverted;
    for (const char *first = at; *at && (*at != ']' || at == first); at++) {
        unsigned from = (unsigned char)*at, to = from;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            to = (unsigned char)at[2];
            at += 2;
        }
        for (unsigned c = from; c <= to; c++)
            set[c >> 3] |= (unsigned char)(1u << (c & 7));
    }
    for (int i = 0; inverted && i < 32; i++)
        set[i] ^= 0xff;
    return *at ? at + 1 : at;
}

/* Read a conversion behind its '%'; `number` of "%N$", or 0. Returns what is behind it; a letter 0: it is none. */
static const char *read_directive(const char *at, struct directive *d, int *number)
{
    const char *behind = at;
    *number = read_number(&behind);
    if (*behind == '$' && behind > at)
        at = behind + 1;
    else
        *number = 0;
    d->ignored = *at == '*';
    at += d->ignored;
    d->width = read_number(&at);
    d->length = *at && strchr("hljztL", *at) ? *at++ : '\0';
    if ((d->length == 'h' || d->length == 'l') && *at == d->length) {
        d->length = d->length == 'h' ? 'H' : 'q';
        at++;
    }
    d->letter = *at && strchr("diouxXpcsn[aefgAEFG", *at) ? *at++ : '\0';
    if (d->letter == '[')
        at = read_set(at, d->set);
    if (d->letter == 'p')
        d->length = 'z';
    if (!d->width)
        d->width = d->letter == 'c' ? 1 : INT_MAX;
    return at;
}

/* Match a character of the format other than '%', or "%%". */
static enum scanned match(struct input *in, char wanted)
{
    int c = input_take(in);
    if (c == (unsigned char)wanted)
        return SCANNED;
    input_return(in, c);
    return c == EOF ? INPUT_FAILURE : MISMATCH;
}

/* Read the item of a conversion; count it if it is stored. */
static enum scanned convert(struct input *in, const struct directive *d, int number, struct pointers *from, int *count)
{
    void *to = d->ignored ? NULL : pointer(from, number);
    if (d->letter == 'n') {
        if (to)
            scan_store(d->length, to, in->n);
        return SCANNED;
    }
    if (d->letter != 'c' && d->letter != '[')
        input_skip_space(in);
    int c = input_take(in);
    if (c == EOF)
        return INPUT_FAILURE;
    input_return(in, c);
    enum scanned result = scan_item(in, d, to);
    *count += result == SCANNED && to;
    return result;
}

static int scan(struct input *in, const char *at, struct pointers *from)
{
    enum scanned result = SCANNED;
    bool converted = false;
    int count = 0, number;
    struct directive d;
    while (*at && result == SCANNED) {
        if (isspace((unsigned char)*at)) {
            input_skip_space(in);
            at++;
        } else if (*at != '%') {
            result = match(in, *at++);
        } else if (at[1] == '%') {
            input_skip_space(in);
            result = match(in, '%');
            at += 2;
        } else {
            at = read_directive(at + 1, &d, &number);
            result = d.letter ? convert(in, &d, number, from, &count) : MISMATCH;
            converted |= result == SCANNED && d.letter != 'n';
        }
    }
    return result == INPUT_FAILURE && !converted ? EOF : count;
}

int vfscanf(FILE *restrict f, const char *restrict format, va_list list)
{
    struct input in = { .file = f };
    struct pointers from;
    stream_lock(f);
    va_copy(from.next, list);
    va_copy(from.all, list);
    int count = scan(&in, format, &from);
    va_end(from.all);
    va_end(from.next);
    stream_unlock(f);
    return count;
}
