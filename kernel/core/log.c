/* SPDX-License-Identifier: MIT */
/* log.c - formats the kernel's log; core/log.h lists the formats. */
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
    bool left, zero;
};

static void put_char(struct out *o, char c)
{
    if (o->len + 1 < o->size)
        o->buf[o->len] = c;
    o->len++;
}

static void put_text(struct out *o, const struct spec *s, const char *text, size_t n)
{
    size_t end = o->len + s->width;
    while (!s->left && o->len + n < end)
        put_char(o, ' ');
    while (n--)
        put_char(o, *text++);
    while (o->len < end)
        put_char(o, ' ');
}

static void put_string(struct out *o, const struct spec *s, const char *string)
{
    if (!string)
        string = "(null)";
    put_text(o, s, string, strlen(string));
}

static void put_number(struct out *o, const struct spec *s, char format, u64 arg)
{
    char text[24];
    unsigned at = sizeof(text), base = format == 'x' ? 16 : 10;
    bool negative = format == 'd' && (int)arg < 0;
    int digits = s->zero ? (int)s->width - negative : 0;
    if (negative)
        arg = -(unsigned)arg;
    do {
        text[--at] = "0123456789abcdef"[arg % base];
        arg /= base;
        digits--;
    } while (arg || (digits > 0 && at > 1));
    if (negative)
        text[--at] = '-';
    put_text(o, s, text + at, sizeof(text) - at);
}

static const char *parse(const char *f, struct spec *s)
{
    *s = (struct spec){ .left = *f == '-' };
    f += s->left;
    s->zero = *f == '0';
    for (; *f >= '0' && *f <= '9'; f++)
        s->width = s->width * 10 + (unsigned)(*f - '0');
    while (*f == 'l')
        f++;
    return f;
}

int kvsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
    struct out o = { buf, size, 0 };
    for (; *fmt; fmt++) {
        struct spec s;
        if (*fmt != '%' || *++fmt == '%') {
            put_char(&o, *fmt);
            continue;
        }
        fmt = parse(fmt, &s);
        if (!*fmt)
            break;
        if (*fmt == 's')
            put_string(&o, &s, va_arg(ap, const char *));
        else
            put_number(&o, &s, *fmt, fmt[-1] == 'l' ? va_arg(ap, u64) : va_arg(ap, unsigned));
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

void vprintk(unsigned source, const char *fmt, va_list ap)
{
    char line[256];
    int n = kvsnprintf(line, sizeof(line), fmt, ap);
    console_write(source, line, MIN((size_t)n, sizeof(line) - 1));
}

void printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vprintk(CONSOLE_KERNEL, fmt, ap);
    va_end(ap);
}
