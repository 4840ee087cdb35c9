/* SPDX-License-Identifier: MIT */
/*
 * mc146818.h - the PC's clock chip (Motorola MC146818A data sheet): its registers, and what its time registers say. The
 * board reads a real one once, the virtual machine is one.
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

/* A number, an hour, as register B says they are written. */
u32 mc146818_decode(const u8 *reg, u8 v);
u32 mc146818_decode_hour(const u8 *reg, u8 v);
/* Seconds since 1970-01-01; nonsense in the registers gives some time. */
s64 mc146818_seconds(const u8 *reg);

#endif
