/* SPDX-License-Identifier: MIT */
/*
 * console.c - print over UART0, polled.  The line status is read once per 16 bytes, the
 * depth of the transmit FIFO, because under a hypervisor every access is an exit.
 */
#include <guest.h>
#include <stdarg.h>

static u32 room;

static void put(char c)
{
    if (room == 0) {
        while (!(load8(UART_LSR) & 0x20))
            ;
        room = 16;
    }
    room--;
    store8(UART_DATA, (u8)c);
}

void put_char(char c)
{
    if (c == '\n')
        put('\r');
    put(c);
}

static void put_number(u32 value, u32 base, bool negative, u32 width, char fill)
{
    char digits[12];
    u32 n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (negative)
        digits[n++] = '-';
    for (u32 i = n; i < width; i++)
        put_char(fill);
    while (n)
        put_char(digits[--n]);
}

static void put_text(const char *s, u32 width)
{
    u32 n = 0;
    for (; s[n]; n++)
        put_char(s[n]);
    for (; n < width; n++)
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
        char fill = f[1] == '0' ? '0' : ' ';
        u32 width = 0;
        for (f++; *f >= '0' && *f <= '9'; f++)
            width = width * 10 + (u32)(*f - '0');
        if (*f == 'c')
            put_char((char)va_arg(ap, int));
        else if (*f == 's')
            put_text(va_arg(ap, const char *), width);
        else if (*f == 'd') {
            int v = va_arg(ap, int);
            put_number(v < 0 ? 0u - (u32)v : (u32)v, 10, v < 0, width, fill);
        } else
            put_number(va_arg(ap, u32), *f == 'x' ? 16 : 10, false, width, fill);
    }
    va_end(ap);
}
