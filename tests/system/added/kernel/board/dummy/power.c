/* SPDX-License-Identifier: MIT */
/* power.c - a board like q35, that says so when it is powered off. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/log.h>
#include <hal/cpu.h>

void hal_power_off(void)
{
    printk("dummy board: power off\n");
    outw(machine.pm1a_control, (u16)(machine.s5_type << 10 | 1 << 13));
    for (;;)
        cpu_relax();
}
