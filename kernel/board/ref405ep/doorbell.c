/* SPDX-License-Identifier: MIT */
/*
 * doorbell.c - a core is told to look now, and not at its next tick, over the cores' second serial ports: they are a
 * ring, what one sends the next one receives. A byte is the number of the core that it is for; who gets another's
 * passes it on.
 *
 * Nothing rests on it: a byte that a full transmitter or a dead core swallows is a ring that comes with the tick.
 * Whoever may knock at a VM (a tunnel's peer, a monitor) takes some time from the core where that VM last ran;
 * docs/windows.md.
 */
#include <arch/cpu.h>
#include <board/board.h>
#include <board/irq.h>
#include <partition/partition.h>
#include <partition/bakery.h>
#include <wcet.h>

#define BURST 16          /* what a port holds */
#define LOOK  (64 * TICK) /* for what got lost */

static bool rung; /* for this core, not answered yet */

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
    for (u32 n = 0; n < BURST && (io_read8(UART1_BASE + 5) & 1); n++) { /* the rest interrupts again */
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
