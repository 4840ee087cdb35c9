/* SPDX-License-Identifier: MIT */
/* report.c - what the kernel itself has to say: names and hexadecimal numbers. */
#include <arch/devices.h>
#include <core/partition.h>
#include <wcet.h>

static void put(const char *s)
{
    for (; *s; s++) {
        console_putc(CONSOLE_KERNEL, (u8)*s);
        LOOP_BOUND(32); /* our own words are shorter */
    }
}

static void put_hex(u32 v)
{
    put(" ");
    for (int shift = 28; shift >= 0; shift -= 4) {
        console_putc(CONSOLE_KERNEL, (u8) "0123456789abcdef"[v >> shift & 15]);
        LOOP_BOUND(8);
    }
}

void hal_report(const char *what, u32 a, u32 b)
{
    put("amalgam: core ");
    console_putc(CONSOLE_KERNEL, (u8)('0' + core.id));
    put(": ");
    put(what);
    put_hex(a);
    put_hex(b);
    put("\r\n");
}
