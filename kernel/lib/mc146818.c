/* SPDX-License-Identifier: MIT */
/*
 * mc146818.c - reads and writes the clock chip's registers. The calendar is the proleptic Gregorian one. A year begins
 * in March, so that leap days come last.
 */
#include <bcd.h>
#include <mc146818.h>

#define EPOCH       719468 /* days from 1 March of year 0 to 1970-01-01 */
#define FOUR_YEARS  1461   /* days */
#define ERA         146097 /* days of 400 years */
#define FIVE_MONTHS 153    /* days, from March or August on */

enum { SECOND, MINUTE, HOUR, DAY_OF_WEEK, DAY_OF_MONTH, MONTH_OF_YEAR, YEAR_OF_CENTURY, CENTURY_OF_ERA, N_PARTS };
static const u8 place[N_PARTS] = { SECONDS, MINUTES, HOURS, WEEKDAY, MONTHDAY, MONTH, YEAR, CENTURY };

static __noinline u32 number(const u8 *reg, u8 v) { return reg[B] & B_BINARY ? v : from_bcd(v); }

/* In 12-hour mode 12 is the first hour, and bit 7 means afternoon. */
u32 mc146818_get(const u8 *reg, unsigned i)
{
    u8 v = reg[i];
    if ((i | 1) != HOURS_ALARM || reg[B] & B_24H)
        return number(reg, v);
    return number(reg, v & 0x7f) % 12 + (v & 0x80 ? 12 : 0);
}

u64 mc146818_time(const u8 *reg)
{
    u32 n[N_PARTS] = { 0 };
    for (unsigned i = 0; i < N_PARTS; i++)
        n[i] = mc146818_get(reg, place[i]);
    u32 month = n[MONTH_OF_YEAR];
    u32 year = n[CENTURY_OF_ERA] * 100 + n[YEAR_OF_CENTURY] + 400; /* always positive */
    if (month <= 2) {
        month += 12;
        year--;
    }
    u32 century = year / 100;
    s32 days = year * FOUR_YEARS / 4 - century + century / 4 + (month * FIVE_MONTHS - 457) / 5 + n[DAY_OF_MONTH] - 1 -
               ERA - EPOCH;
    return (((u64)MAX(days, 0) * 24 + n[HOUR]) * 60 + n[MINUTE]) * 60 + n[SECOND];
}

void mc146818_set_time(u8 *reg, u64 seconds)
{
    u32 t = seconds % DAY, days = (u32)(seconds / DAY + EPOCH);
    u32 quarter = days * 4 + 3,
        century = quarter / ERA; /* in quarters of a day all years, and all centuries, have the same length */
    quarter = quarter % ERA | 3;
    u32 fifth = quarter % FOUR_YEARS / 4 * 5 + 2, month = fifth / FIVE_MONTHS + 3;
    u32 year = century * 100 + quarter / FOUR_YEARS;
    if (month > 12) {
        month -= 12;
        year++;
    }
    u8 n[N_PARTS] = { t % 60,
                      t / 60 % 60,
                      t / 3600,
                      (days + 3) % 7 + 1, /* 1 is Sunday */
                      fifth % FIVE_MONTHS / 5 + 1,
                      month,
                      year % 100,
                      year / 100 };
    u8 afternoon = 0;
    if (!(reg[B] & B_24H)) {
        afternoon = n[HOUR] >= 12 ? 0x80 : 0;
        n[HOUR] = (n[HOUR] + 11) % 12 + 1;
    }
    for (unsigned i = 0; i < N_PARTS; i++)
        reg[place[i]] = reg[B] & B_BINARY ? n[i] : to_bcd(n[i]);
    reg[HOURS] |= afternoon;
}
