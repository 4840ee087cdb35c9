/* SPDX-License-Identifier: MIT */
/*
 * console.c - COM1, polled.  The line status is read once per 16 bytes, the depth of
 * the transmit FIFO, because under a hypervisor every port access is an exit.
 */
#include <guest.h>
#include <stdarg.h>

#define COM1 0x3f8

static unsigned room;

void console_init(void)
{
    outb(COM1 + 1, 0); /* no interrupts */
    outb(COM1 + 3, 3); /* 8n1 */
    outb(COM1 + 2, 7); /* FIFOs on and empty */
}

static void put(char c)
{
    if (room == 0) {
        for (unsigned spins = 0; !(inb(COM1 + 5) & 0x20) && spins < 1000000; spins++)
            cpu_relax();
        room = 16;
    }
    room--;
    outb(COM1, c);
}

static void put_char(char c)
{
    if (c == '\n')
        put('\r');
    put(c);
}

static void put_number(uint64_t value, unsigned base, bool negative, int width, char fill)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (negative)
        digits[n++] = '-';
    for (int i = n; i < width; i++)
        put_char(fill);
    while (n)
        put_char(digits[--n]);
}

static void put_text(const char *s, int width, bool left)
{
    int n = 0;
    while (s[n])
        n++;
    for (int i = n; !left && i < width; i++)
        put_char(' ');
    for (int i = 0; i < n; i++)
        put_char(s[i]);
    for (int i = n; left && i < width; i++)
        put_char(' ');
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
        bool left = false, wide = false;
        char fill = ' ';
        int width = 0;
        f++;
        if (*f == '-')
            left = true, f++;
        if (*f == '0')
            fill = '0';
        for (; *f >= '0' && *f <= '9'; f++)
            width = width * 10 + *f - '0';
        for (; *f == 'l'; f++)
            wide = true;
        if (*f == 'd') {
            int64_t v = wide ? va_arg(ap, int64_t) : va_arg(ap, int);
            put_number(v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0, width, fill);
        } else if (*f == 'u' || *f == 'x') {
            put_number(wide ? va_arg(ap, uint64_t) : va_arg(ap, unsigned), *f == 'u' ? 10 : 16, false, width, fill);
        } else if (*f == 'p') {
            put_number((uintptr_t)va_arg(ap, void *), 16, false, 16, '0');
        } else if (*f == 's') {
            put_text(va_arg(ap, const char *), width, left);
        } else if (*f == 'c') {
            put_char(va_arg(ap, int));
        } else {
            put_char(*f);
        }
    }
    va_end(ap);
}
