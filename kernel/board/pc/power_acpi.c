/* SPDX-License-Identifier: MIT */
/* power_acpi.c - powers the machine off by the registers that the ACPI tables name. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/direct.h>
#include <hal/time.h>

#define PATIENCE_NS 1000000000ul /* power-off takes some time, on an emulator and on a board */

void acpi_power_off(void)
{
    if (machine.pm1a_control && machine.s5_type >= 0) {
        outw(machine.pm1a_control, (u16)(machine.s5_type << 10 | 1 << 13));
        if (machine.pm1b_control)
            outw(machine.pm1b_control, (u16)(machine.s5_type << 10 | 1 << 13));
        ticks_t end = time_after(PATIENCE_NS);
        while (time_now() < end)
            cpu_relax();
    }
}
