/* SPDX-License-Identifier: MIT */
/* power.c - off, by what the ACPI tables name. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/cpu.h>

void hal_power_off(void)
{
    if (machine.pm1a_control && machine.s5_type >= 0) {
        outw(machine.pm1a_control, (u16)(machine.s5_type << 10 | 1 << 13));
        if (machine.pm1b_control)
            outw(machine.pm1b_control, (u16)(machine.s5_type << 10 | 1 << 13));
    }
}
