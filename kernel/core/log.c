/* SPDX-License-Identifier: MIT */
/* log.c - text formatting for the kernel's own words; see core/log.h for the formats. */
#include <core/console.h>
#include <core/log.h>
#include <stdarg.h>
#include <string.h>

struct out {
    char *buf;
    size_t size, len;
};

struct spec {
    unsigned width;
    bool zero, left, is_long;
};

static void put(struct out *o, char c)
{
    if (o->len + 1 < o->size)
        o->buf[o->len] = c;
    o->len++;
}

static void put_all(struct out *o, const char *text, size_t n)
{
    while (n--)
        put(o, *text++);
}

static void fill(struct out *o, char c, size_t n)
{
    while (n--)
        put(o, c);
}

/* `prefix` (sign or 0x) goes before zero padding and after blanks. */
static void put_padded(struct out *o, const struct spec *s, const char *prefix, const char *text, size_t n)
{
    size_t used = n + strlen(prefix), pad = s->width > used ? s->width - used : 0;
    bool zeros = s->zero && !s->left;
    fill(o, ' ', s->left || zeros ? 0 : pad);
    put_all(o, prefix, used - n);
    fill(o, '0', zeros ? pad : 0);
    put_all(o, text, n);
    fill(o, ' ', s->left ? pad : 0);
}

static void put_number(struct out *o, const struct spec *s, const char *prefix, u64 v, unsigned base)
{
    char text[20];
    unsigned at = sizeof(text);
    do {
        text[--at] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    put_padded(o, s, prefix, text + at, sizeof(text) - at);
}

static const char *parse(const char *f, struct spec *s)
{
    *s = (struct spec){ 0 };
    for (; *f == '-' || *f == '0'; f++) {
        s->left |= *f == '-';
        s->zero |= *f == '0';
    }
    for (; *f >= '0' && *f <= '9'; f++)
        s->width = s->width * 10 + (unsigned)(*f - '0');
    for (; *f == 'l'; f++)
        s->is_long = true;
    return f;
}

static void put_string(struct out *o, struct spec *s, const char *text)
{
    s->zero = false;
    text = text ? text : "(null)";
    put_padded(o, s, "", text, strlen(text));
}

/* Every argument fills one place of the size of a long, whatever its type: so both ABIs have it that we know, System
 * V's for x86-64 and PowerPC. */
static void put_argument(struct out *o, struct spec *s, char format, unsigned long arg)
{
    char c = (char)arg;
    switch (format) {
    case 'd': {
        long v = s->is_long ? (long)arg : (int)arg;
        put_number(o, s, v < 0 ? "-" : "", v < 0 ? -(u64)v : (u64)v, 10);
        break;
    }
    case 'u':
    case 'x': put_number(o, s, "", s->is_long ? arg : (unsigned)arg, format == 'x' ? 16 : 10); break;
    case 'p': put_number(o, s, "0x", arg, 16); break;
    case 's': put_string(o, s, (const char *)arg); break;
    case 'c':
        s->zero = false;
        put_padded(o, s, "", &c, 1);
        break;
    default: put(o, format);
    }
}

int kvsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
    struct out o = { buf, size, 0 };
    for (; *fmt; fmt++) {
        struct spec s;
        if (*fmt == '%') {
            fmt = parse(fmt + 1, &s);
            if (!*fmt)
                break;
            if (*fmt != '%') {
                put_argument(&o, &s, *fmt, va_arg(ap, unsigned long));
                continue;
            }
        }
        put(&o, *fmt);
    }
    if (size)
        buf[MIN(o.len, size - 1)] = '\0';
    return (int)o.len;
}

int ksnprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = kvsnprintf(buf, size, fmt, ap);
    va_end(ap);
    return n;
}

void printk(const char *fmt, ...)
{
    char line[256];
    va_list ap;
    va_start(ap, fmt);
    int n = kvsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    console_write(CONSOLE_KERNEL, line, MIN((size_t)n, sizeof(line) - 1));
}
