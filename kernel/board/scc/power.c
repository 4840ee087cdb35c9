/* SPDX-License-Identifier: MIT */
/* power.c - power-off: the emulated board ends when its keyboard controller resets it. A core other than 0 cannot
 * power the board off; what the others have said, and say until they come here, too, is printed first. */
#include <arch/cpu.h>
#include <board/scc.h>
#include <hal/cpu.h>

#include "ring.h"

void hal_power_off(void)
{
    if (scc_core) {
        WRITE_ONCE(scc_shared()->off[scc_core], 1);
        return;
    }
    ring_reader_drain();
    outb(0x64, 0xfe);
}
