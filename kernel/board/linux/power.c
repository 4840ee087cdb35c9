/* SPDX-License-Identifier: MIT */
/* power.c - only Linux powers the machine off; the kernel can reset it, as a triple fault would. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/linux.h>
#include <core/log.h>
#include <hal/cpu.h>
#include <hal/time.h>

void hal_power_off(void) { printk("power: the board is Linux's\n"); }

void board_reset(void)
{
    static const u8 nothing[10];
    outb(0x64, 0xfe); /* keyboard controller */
    outb(0xcf9, 2);   /* chipset: hard reset */
    outb(0xcf9, 6);
    __asm__ volatile("lidt %0; ud2" ::"m"(nothing)); /* a triple fault, if neither exists */
    hal_halt();
}

/* Linux has calibrated the TSC; the alarm's timer is calibrated by it. */
const struct time_reference *time_reference(void)
{
    static struct time_reference tsc = { "TSC", 0, TIME_IS_COUNTER, time_now };
    tsc.hz = time_hz;
    return &tsc;
}
