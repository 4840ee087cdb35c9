/* SPDX-License-Identifier: MIT */
/*
 * console.c - the guests' consoles on this core's UART0.
 *
 * Tagged, for programs (tools/amalgam/board/tagged.py): 0xff and an id say whose bytes follow, 0xff 0xff is the byte
 * 0xff. Otherwise, for people: only the guest that has the focus is heard and gets what is
 * typed; Ctrl-] and its number move the focus. The kernel itself is always heard.
 *
 * A byte for a guest that does not run here lies in its ring until its core looks (vm_knock).
 */
#include "dev.h"
#include <arch/cpu.h>
#include <board/board.h>
#include <core/shared.h>
#include <core/table.h>
#include <wcet.h>

#define TAG       0xff
#define KEY_FOCUS 0x1d  /* Ctrl-] */
#define TX_TRIES  10000 /* a line that does not take a byte by then loses it */
#define RX_BURST  16

static u8 focus __shared;
static u8 speaker = TAG, listener = TAG; /* last tag sent, received */
static bool escaped;                     /* a tag or Ctrl-] came last */

static bool tagged(void) { return pt()->flags & 1; }

void console_init(void)
{
    io_write8(UART0_BASE + 3, 3);    /* 8 bits, no parity */
    io_write8(UART0_BASE + 2, 1);    /* FIFO */
    io_write8(UART0_BASE + 4, 0x0b); /* OUT2 gates the interrupt */
    io_write8(UART0_BASE + 1, 1);    /* received data */
}

void console_focus(u32 id) { focus = id; }
u32 console_input(void) { return 0x80000000u >> UIC_UART0; }

static void send(u8 byte)
{
    for (u32 n = TX_TRIES; n && !(io_read8(UART0_BASE + 5) & 0x20); n--)
        LOOP_BOUND(TX_TRIES);
    io_write8(UART0_BASE, byte);
}

void console_putc(u32 id, u8 byte)
{
    if (!tagged()) {
        if (id == focus || id == CONSOLE_KERNEL)
            send(byte);
        return;
    }
    if (id != speaker) {
        send(TAG);
        send(id);
        speaker = id;
    }
    if (byte == TAG)
        send(TAG);
    send(byte);
}

static void give(u32 id, u8 byte)
{
    if (id >= PT_VMS || !vm_of(id)->conf)
        return;
    struct vm *vm = vm_of(id);
    struct vuart *u = &vm->uart;
    if ((u8)(u->rx_head + 1) == READ_ONCE(u->rx_tail))
        return; /* nobody reads: the others' input goes on */
    u->rx[u->rx_head] = byte;
    mp_fence();
    u->rx_head++;
    if (vm == core.current)
        uart_poll(vm);
    else
        vm_knock(vm);
}

static void received(u8 byte)
{
    u8 mark = tagged() ? TAG : KEY_FOCUS;
    if (!escaped && byte == mark) {
        escaped = true;
        return;
    }
    if (!escaped || byte == mark)
        give(mark == TAG ? listener : focus, byte);
    else if (mark == TAG)
        listener = byte;
    else if (byte - '0' < PT_VMS)
        focus = byte - '0';
    escaped = false;
}

void console_poll(void)
{
    for (u32 n = 0; n < RX_BURST && (io_read8(UART0_BASE + 5) & 1); n++) { /* the rest interrupts again */
        LOOP_BOUND(RX_BURST);
        received(io_read8(UART0_BASE));
    }
}
