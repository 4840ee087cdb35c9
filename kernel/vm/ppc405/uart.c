/* SPDX-License-Identifier: MIT */
/*
 * uart.c - the guest's 16550 serial port (National PC16550D data sheet).
 *
 * The transmitter is empty while the console takes more of this VM's bytes (console_room()). Input waits in a ring
 * behind the 16 bytes of a FIFO. What the guest writes in loopback goes there, before what was typed: only the core
 * that receives input appends to the ring. Input is never reported as timed out or below a trigger level: a byte that
 * is there requests its interrupt.
 */
#include "dev.h"
#include <board/console.h>
#include <wcet.h>

enum { RBR, IER, IIR, LCR, MCR, LSR, MSR, SCR, DLL, DLM }; /* when written, RBR is THR and IIR is FCR */
enum { IER_RDA = 1, IER_THRE = 2, IER_ALL = 15 };
enum { FCR_ENABLE = 1, FCR_CLEAR_RX = 2 };
enum { LCR_DLAB = 0x80, MCR_LOOP = 0x10 };
enum { LSR_READY = 1, LSR_EMPTY = 0x60 };
enum { IIR_NONE = 1, IIR_THRE = 2, IIR_RDA = 4, IIR_FIFO = 0xc0 };
#define FIFO          16   /* bytes that a driver may write when the transmitter is empty */
#define MSR_CONNECTED 0xb0 /* carrier, data set ready, clear to send */

static u32 cause(const struct vuart *u)
{
    if ((u->reg[IER] & IER_RDA) && u->rx_head != u->rx_tail)
        return IIR_RDA;
    return (u->reg[IER] & IER_THRE) && u->thri && !u->full ? IIR_THRE : IIR_NONE;
}

void guest_input(struct vm *vm)
{
    bool asks = cause(&vm->uart) != IIR_NONE;
    if (asks != (vm->uic.lines >> (31 - UART_IRQ) & 1))
        vuic_lines(vm, UIC_INPUT(UART_IRQ), asks);
}

static u32 number(const struct vuart *u, u32 n) { return n <= IER && (u->reg[LCR] & LCR_DLAB) ? n + DLL : n; }

u32 uart_read(struct vm *vm, u32 n)
{
    struct vuart *u = &vm->uart;
    u32 value = u->reg[n = number(u, n)], ready = u->rx_head != u->rx_tail;

    if (n == RBR)
        value = ready ? uart_take(u) : 0;
    else if (n == IIR) {
        value = cause(u) | (value & FCR_ENABLE ? IIR_FIFO : 0);
        if ((value & 15) == IIR_THRE)
            u->thri = false;
    } else if (n == LSR)
        value = (LSR_EMPTY ^ u->full) | ready * LSR_READY;
    else if (n == MSR) {
        u32 mcr = u->reg[MCR]; /* in loopback, our own outputs: RTS, DTR, OUT1, OUT2 */
        value = mcr & MCR_LOOP ? (mcr & 12) << 4 | (mcr & 1) << 5 | (mcr & 2) << 3 : MSR_CONNECTED;
    }
    guest_input(vm);
    return value;
}

/* Put a byte behind those that wait in loopback; lost if these fill the FIFO, or what was typed fills half of the ring:
 * the other half is more than a core receives meanwhile. */
static void loop_back(struct vuart *u, u8 value)
{
    u8 to = u->rx_tail - 1;
    if (u->looped == FIFO || (u8)(READ_ONCE(u->rx_head) - to) > sizeof(u->rx) / 2)
        return;
    for (u32 i = 0; i < u->looped; i++, to++) {
        LOOP_BOUND(FIFO);
        u->rx[to] = u->rx[(u8)(to + 1)];
    }
    u->rx[to] = value;
    u->looped++;
    u->rx_tail--;
}

void uart_write(struct vm *vm, u32 n, u8 value)
{
    struct vuart *u = &vm->uart;

    n = number(u, n);
    if (n == RBR) {
        if (u->reg[MCR] & MCR_LOOP)
            loop_back(u, value);
        else {
            console_putc(vm->id, value); /* lost if the transmitter is full, as on the chip */
            u->full = console_room(vm->id) < FIFO ? LSR_EMPTY : 0;
            console_send();
        }
        u->thri = true;
    } else if (n == IER) {
        u->thri |= value & ~u->reg[IER] & IER_THRE;
        value &= IER_ALL;
    } else if (n == IIR && value & FCR_CLEAR_RX)
        u->looped = 0, u->rx_tail = READ_ONCE(u->rx_head);
    u->reg[n] = value;
    guest_input(vm);
}
