/* SPDX-License-Identifier: MIT */
/*
 * doorbell.c - rings another core over the cores' second serial ports, so that it looks now and not at its next tick.
 * The ports form a ring: each core receives what the previous one sends. A byte is the number of the core that it is
 * for; a core passes on bytes for others.
 *
 * Rings may be lost: if a full transmitter or a dead core drops the byte, the request is handled at the next tick. A
 * core that may knock at a VM (a tunnel's peer, a monitor) takes some time of the core where that VM last ran;
 * docs/windows.md.
 */
#include <arch/cpu.h>
#include <board/board.h>
#include <board/irq.h>
#include <partition/partition.h>
#include <partition/bakery.h>
#include <wcet.h>

#define BURST 16          /* bytes that a port holds */
#define LOOK  (64 * TICK) /* interval at which lost rings are found */

static bool rung; /* this core was rung and has not looked yet */

u32 doorbell_input(void) { return 0x80000000u >> UIC_UART1; }

void doorbell_init(void)
{
    io_write8(UART1_BASE + 3, 3);    /* 8 bits, no parity */
    io_write8(UART1_BASE + 2, 1);    /* FIFO */
    io_write8(UART1_BASE + 4, 0x0b); /* OUT2 gates the interrupt */
    io_write8(UART1_BASE + 1, 1);    /* received data */
}

u32 hal_look_ticks(void) { return LOOK; }

void hal_doorbell(u32 id)
{
    if (id != core.id)
        io_write8(UART1_BASE, (u8)id);
}

void doorbell_poll(void)
{
    for (u32 n = 0; n < BURST && (io_read8(UART1_BASE + 5) & 1); n++) { /* more bytes interrupt again */
        LOOP_BOUND(BURST);
        u32 id = io_read8(UART1_BASE);
        if (id == core.id)
            rung = true;
        else if (id < core_count)
            hal_doorbell(id);
    }
}

void doorbell_answer(void)
{
    if (!rung)
        return;
    rung = false;
    partition_alarm(hal_now());
}
