/* SPDX-License-Identifier: MIT */
/*
 * mc146818.h - the PC's clock chip (Motorola MC146818A data sheet): its registers and their values. The board reads a
 * real one once; vm/devices/rtc.c is a virtual one.
 */
#ifndef AMALGAM_MC146818_H
#define AMALGAM_MC146818_H

#include <types.h>

enum {
    SECONDS,
    SECONDS_ALARM,
    MINUTES,
    MINUTES_ALARM,
    HOURS,
    HOURS_ALARM,
    WEEKDAY,
    MONTHDAY,
    MONTH,
    YEAR,
    A,
    B,
    C,
    D,
    CENTURY = 0x32 /* where ACPI's FADT says it is */
};
enum { B_24H = 2, B_BINARY = 4, B_UIE = 0x10, B_AIE = 0x20, B_PIE = 0x40, B_SET = 0x80, IRQF = 0x80 };

#define DAY 86400u

/* Returns the number in register i of the time or the alarm, decoded as register B says. */
u32 mc146818_get(const u8 *reg, unsigned i);
/* Returns the time registers in seconds since 1970-01-01; for invalid contents, or an earlier day, some time. */
u64 mc146818_time(const u8 *reg);
/* Sets the time registers. */
void mc146818_set_time(u8 *reg, u64 seconds);

#endif
