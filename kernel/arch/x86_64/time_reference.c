/* SPDX-License-Identifier: MIT */
/*
 * time_reference.c - the clock with a known rate that the TSC is measured against: the ACPI PM timer (3.579545 MHz)
 * or, without one, the HPET or channel 2 of the PIT.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/memory.h>

#define PM_HZ  3579545ull
#define PIT_HZ 1193182ull

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

__init_text struct time_reference time_reference(void)
{
    if (machine.pm_timer)
        return (struct time_reference){ "PM timer", PM_HZ, machine.pm_timer_32 ? 0xffffffff : 0xffffff, read_pm };
    hpet = machine.hpet ? hal_map_device(machine.hpet, PAGE_SIZE) : NULL;
    if (hpet && hpet[0] >> 32) {
        hpet[0x10 / 8] |= 1;
        return (struct time_reference){ "HPET", 1000000000000000ull / (hpet[0] >> 32), ~0ull >> 32, read_hpet };
    }
    outb(0x61, (inb(0x61) & ~2) | 1);
    outb(0x43, 0xb0);
    outb(0x42, 0xff);
    outb(0x42, 0xff);
    return (struct time_reference){ "PIT", PIT_HZ, 0xffff, read_pit };
}
