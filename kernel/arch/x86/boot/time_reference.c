/* SPDX-License-Identifier: MIT */
/*
 * time_reference.c - the clock with a known rate by which the TSC is calibrated: the ACPI PM timer (3.579545 MHz), else
 * the HPET, else channel 2 of the PIT.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/memory.h>

static volatile u64 *hpet;

static u64 read_pm(void) { return inl(machine.pm_timer); }
static u64 read_hpet(void) { return hpet[0xf0 / 8]; }
/* Channel 2 counts down from 0xffff in mode 0; latched, low byte first. */
static u64 read_pit(void)
{
    outb(0x43, 0x80);
    u32 lo = inb(0x42);
    return 0xffff - (lo | (u32)inb(0x42) << 8);
}

static struct time_reference pm = { "PM timer", 3579545, 0xffffff, read_pm };
static struct time_reference hpet_timer = { "HPET", 0, 0xffffffff, read_hpet };
static const struct time_reference pit = { "PIT", 1193182, 0xffff, read_pit };

__init_text const struct time_reference *time_reference(void)
{
    if (machine.pm_timer) {
        if (machine.pm_timer_32)
            pm.mask = 0xffffffff;
        return &pm;
    }
    hpet = machine.hpet ? hal_map_device(machine.hpet, PAGE_SIZE) : NULL;
    if (hpet && hpet[0] >> 32) {
        hpet[0x10 / 8] |= 1;
        hpet_timer.hz = 1000000000000000ull / (hpet[0] >> 32);
        return &hpet_timer;
    }
    outb(0x61, (inb(0x61) & ~2) | 1);
    outb(0x43, 0xb0);
    outb(0x42, 0xff);
    outb(0x42, 0xff);
    return &pit;
}
