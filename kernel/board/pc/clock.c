/* SPDX-License-Identifier: MIT */
/* clock.c - the wall clock: the MC146818 is read once, at boot, then the counter is used, by its better rate. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/init.h>
#include <hal/time.h>
#include <mc146818.h>

static u64 epoch_ns; /* the time when the counter was 0 */

static __init_text u8 cmos(u8 reg)
{
    outb(0x70, reg);
    return inb(0x71);
}

/*
 * Read the clock. An update in progress lasts at most 2 ms; the bound keeps a broken clock from stopping the boot. The
 * century register is not read, because only ACPI knows where it is.
 */
static __init_text u64 read_rtc(void)
{
    u8 reg[CENTURY + 1];
    for (unsigned i = 0; i < 100000 && (cmos(A) & 0x80); i++)
        cpu_relax();
    for (unsigned i = SECONDS; i <= B; i++)
        reg[i] = cmos((u8)i);
    reg[CENTURY] = reg[B] & B_BINARY ? 20 : 0x20;
    return mc146818_time(reg);
}

/* Not at the first question: two cores would ask the chip at once, with interrupts off and a device locked. */
static __init_text void read_clock(void)
{
    epoch_ns = read_rtc() * 1000000000ull - time_corrected(time_to_ns(time_now()));
}
INIT_CALL(read_clock);

u64 hal_wall_clock_at(u64 ns) { return epoch_ns + time_corrected(ns); }
