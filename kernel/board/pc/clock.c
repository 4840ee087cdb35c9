/* SPDX-License-Identifier: MIT */
/* clock.c - what time it is: the MC146818 read once, the counter from then on. */
#include <arch/cpu.h>
#include <hal/time.h>

static u64 epoch_ns; /* at counter value epoch_ticks */
static ticks_t epoch_ticks;

static u8 cmos(u8 reg)
{
    outb(0x70, reg);
    return inb(0x71);
}

static u32 decode(u8 v, u8 status_b) { return status_b & 4 ? v : (u32)((v >> 4) * 10 + (v & 15)); }

/* Days since 1970-01-01 of a Gregorian date, years counted from March. */
static u64 days(u32 y, u32 m, u32 d)
{
    y -= m <= 2;
    u32 shifted = m > 2 ? m - 3 : m + 9;
    return 365ull * y + y / 4 - y / 100 + y / 400 + (153 * shifted + 2) / 5 + d - 1 - 719468;
}

/* An update in progress lasts at most 2 ms; the bound keeps a broken clock from stopping the boot. */
static u64 read_rtc(void)
{
    for (unsigned i = 0; i < 100000 && (cmos(10) & 0x80); i++)
        cpu_relax();
    u8 b = cmos(11), hour_raw = cmos(4);
    u64 day = days(2000 + decode(cmos(9), b), decode(cmos(8), b), decode(cmos(7), b));
    u32 hour = decode(hour_raw & 0x7f, b);
    if (!(b & 2)) /* 12-hour mode: 12 is the first hour, bit 7 says afternoon */
        hour = hour % 12 + (hour_raw & 0x80 ? 12 : 0);
    return ((day * 24 + hour) * 60 + decode(cmos(2), b)) * 60 + decode(cmos(0), b);
}

u64 hal_wall_clock_ns(void)
{
    if (!epoch_ns) {
        epoch_ns = read_rtc() * 1000000000ull;
        epoch_ticks = time_now();
    }
    return epoch_ns + time_to_ns(time_now() - epoch_ticks);
}
