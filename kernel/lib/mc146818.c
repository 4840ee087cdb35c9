/* SPDX-License-Identifier: MIT */
/* mc146818.c - the clock chip's registers read. */
#include <mc146818.h>

u32 mc146818_decode(const u8 *reg, u8 v) { return reg[B] & B_BINARY ? v : (v >> 4) * 10u + (v & 15); }

/* In 12-hour mode 12 is the first hour, and bit 7 says afternoon. */
u32 mc146818_decode_hour(const u8 *reg, u8 v)
{
    if (reg[B] & B_24H)
        return mc146818_decode(reg, v);
    return mc146818_decode(reg, v & 0x7f) % 12 + (v & 0x80 ? 12 : 0);
}

/* Proleptic Gregorian; the year begins in March so that leap days come last. */
s64 mc146818_seconds(const u8 *reg)
{
    u32 month = mc146818_decode(reg, reg[MONTH]);
    u32 year = mc146818_decode(reg, reg[CENTURY]) * 100 + mc146818_decode(reg, reg[YEAR]) - (month <= 2);
    u32 doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + mc146818_decode(reg, reg[MONTHDAY]) - 1;
    s64 days = (s64)year * 365 + year / 4 - year / 100 + year / 400 + doy - 719468;
    return days * DAY + mc146818_decode_hour(reg, reg[HOURS]) * 3600 + mc146818_decode(reg, reg[MINUTES]) * 60 +
           mc146818_decode(reg, reg[SECONDS]);
}
