/* SPDX-License-Identifier: MIT */
/* power.c - off: the emulated board ends when its keyboard controller resets it. One core cannot switch off the others.
 */
#include <arch/cpu.h>
#include <board/scc.h>
#include <hal/cpu.h>

void hal_power_off(void)
{
    if (scc_core == 0)
        outb(0x64, 0xfe);
}
