/* SPDX-License-Identifier: MIT */
/*
 * format.c - printf() as C17 7.21.6.1 has it, with POSIX' arguments by number (%2$d). It replaces picolibc 1.7.9's,
 * which takes a long double for an integer, ignores %n, and prints zeros after 17 digits.
 *
 * Of wide characters (%lc, %ls) those below 256 are printed as bytes; any other is EILSEQ, as in the C locale.
 */
#include "format.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define MOST_DIGITS 24 /* of 64 bits in octal, and more */
#define WIDE_BYTES  256

void output_text(struct output *out, const char *text, size_t n)
{
    out->n += n;
    for (; n && !out->failed; n--)
        out->failed = out->file->put(*text++, out->file) < 0;
}

void output_pad(struct output *out, char c, size_t n)
{
    out->n += n;
    for (; n && !out->failed; n--)
        out->failed = out->file->put(c, out->file) < 0;
}

size_t output_field(struct output *out, const struct conversion *c, const char *prefix, size_t n)
{
    size_t used = n + strlen(prefix), width = (size_t)c->width, pad = width > used ? width - used : 0;
    if (!(c->flags & (LEFT | ZEROS)))
        output_pad(out, ' ', pad);
    output_text(out, prefix, used - n);
    if ((c->flags & (LEFT | ZEROS)) == ZEROS)
        output_pad(out, '0', pad);
    return c->flags & LEFT ? pad : 0;
}

const char *sign_of(const struct conversion *c, bool negative)
{
    return negative ? "-" : c->flags & PLUS ? "+" : c->flags & SPACE ? " " : "";
}

static void take_width(struct conversion *c, struct arguments *from)
{
    if (c->width_of >= 0) {
        int width = (int)argument_next(from, c->width_of, INT).integer;
        if (width < 0)
            c->flags |= LEFT;
        c->width = width == INT_MIN ? INT_MAX : width < 0 ? -width : width;
    }
    if (c->precision_of >= 0) {
        c->precision = (int)argument_next(from, c->precision_of, INT).integer;
        if (c->precision < 0)
            c->precision = -1;
    }
}

static intmax_t as_signed(char length, intmax_t value)
{
    return length == 'H' ? (signed char)value : length == 'h' ? (short)value : value;
}

static uintmax_t as_unsigned(char length, intmax_t value)
{
    switch (length) {
    case 'H': return (unsigned char)value;
    case 'h': return (unsigned short)value;
    case 0: return (unsigned)value;
    case 'l': return (unsigned long)value;
    case 'z': return (size_t)value;
    case 't': return (size_t)value;
    default: return (uintmax_t)value;
    }
}

static void format_digits(struct output *out, struct conversion *c, const char *prefix, uintmax_t value, unsigned base)
{
    char digits[MOST_DIGITS], *first = digits + sizeof digits;
    for (uintmax_t left = value; left; left /= base)
        *--first = "0123456789abcdef0123456789ABCDEF"[left % base + (c->letter == 'X' ? 16 : 0)];
    size_t n = (size_t)(digits + sizeof digits - first), wanted = c->precision < 0 ? 1 : (size_t)c->precision;
    if (base == 8 && c->flags & ALTERNATE && wanted <= n)
        wanted = n + (value || !wanted);
    if (c->precision >= 0)
        c->flags &= ~ZEROS;
    size_t zeros = wanted > n ? wanted - n : 0, behind = output_field(out, c, prefix, zeros + n);
    output_pad(out, '0', zeros);
    output_text(out, first, n);
    output_pad(out, ' ', behind);
}

static void format_integer(struct output *out, struct conversion *c, intmax_t raw)
{
    if (c->letter == 'd' || c->letter == 'i') {
        intmax_t value = as_signed(c->length, raw);
        format_digits(out, c, sign_of(c, value < 0), value < 0 ? -(uintmax_t)value : (uintmax_t)value, 10);
        return;
    }
    uintmax_t value = as_unsigned(c->length, raw);
    unsigned base = c->letter == 'u' ? 10 : c->letter == 'o' ? 8 : 16;
    bool prefixed = base == 16 && c->flags & ALTERNATE && value;
    format_digits(out, c, !prefixed ? "" : c->letter == 'X' ? "0X" : "0x", value, base);
}

static void format_text(struct output *out, struct conversion *c, const char *text, size_t n)
{
    c->flags &= ~ZEROS;
    size_t behind = output_field(out, c, "", n);
    output_text(out, text, n);
    output_pad(out, ' ', behind);
}

static bool is_narrow(wchar_t c) { return (unsigned)c < WIDE_BYTES; }

static void format_wide(struct output *out, struct conversion *c, const wchar_t *text)
{
    size_t n = 0, most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
    while (n < most && text[n] && is_narrow(text[n]))
        n++;
    if (n < most && text[n]) {
        errno = EILSEQ;
        out->failed = true;
        return;
    }
    c->flags &= ~ZEROS;
    size_t behind = output_field(out, c, "", n);
    for (size_t i = 0; i < n; i++)
        output_pad(out, (char)text[i], 1);
    output_pad(out, ' ', behind);
}

static void format_string(struct output *out, struct conversion *c, const void *text)
{
    if (text && c->length == 'l')
        format_wide(out, c, text);
    else
        format_text(out, c, text ? text : "(null)",
                    strnlen(text ? text : "(null)", c->precision < 0 ? SIZE_MAX : (size_t)c->precision));
}

static void format_character(struct output *out, struct conversion *c, intmax_t value)
{
    char byte = (char)value;
    if (c->length == 'l' && !is_narrow((wchar_t)value)) {
        errno = EILSEQ;
        out->failed = true;
        return;
    }
    format_text(out, c, &byte, 1);
}

static void store_count(char length, void *to, size_t n)
{
    switch (length) {
    case 'H': *(signed char *)to = (signed char)n; break;
    case 'h': *(short *)to = (short)n; break;
    case 'l': *(long *)to = (long)n; break;
    case 'z': *(size_t *)to = n; break;
    case 't': *(ptrdiff_t *)to = (ptrdiff_t)n; break;
    case 'j':
    case 'q': *(intmax_t *)to = (intmax_t)n; break;
    default: *(int *)to = (int)n; break;
    }
}

static void format_one(struct output *out, struct conversion *c, struct arguments *from)
{
    take_width(c, from);
    enum kind kind = conversion_kind(c);
    union value v = argument_next(from, c->number, kind);
    if (kind == DOUBLE || kind == LONG_DOUBLE) {
        struct binary b = kind == DOUBLE ? binary_of_double(v.number) : binary_of_long_double(v.long_number);
        format_float(out, c, &b);
        return;
    }
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': format_integer(out, c, v.integer); break;
    case 'c': format_character(out, c, v.integer); break;
    case 's': format_string(out, c, v.pointer); break;
    case 'p':
        c->flags |= ALTERNATE;
        c->length = 'j';
        format_integer(out, c, (intmax_t)(uintptr_t)v.pointer);
        break;
    case 'n': store_count(c->length, v.pointer, out->n); break;
    default: /* no conversion: as it is */
        output_text(out, "%", 1);
        output_text(out, &c->letter, c->letter != '\0');
        break;
    }
}

int stream_format(FILE *f, const char *format, va_list list)
{
    struct output out = { .file = f };
    struct arguments arguments;
    struct conversion c;
    if (!(f->flags & __SWR)) {
        errno = EBADF;
        return EOF;
    }
    arguments.numbered = false;
    va_copy(arguments.next, list);
    bool right = arguments_take(format, &arguments);
    while (right && *format && !out.failed) {
        size_t plain = strcspn(format, "%");
        output_text(&out, format, plain);
        format += plain;
        if (!*format)
            break;
        format = conversion_read(format + 1, &c);
        if (c.letter == '%')
            output_text(&out, "%", 1);
        else
            format_one(&out, &c, &arguments);
        if (out.n > INT_MAX) {
            errno = EOVERFLOW;
            right = false;
        }
    }
    va_end(arguments.next);
    if (!right && out.n <= INT_MAX)
        errno = EINVAL;
    if (out.failed)
        f->flags |= __SERR;
    return right && !out.failed ? (int)out.n : EOF;
}
