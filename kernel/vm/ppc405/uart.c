/* SPDX-License-Identifier: MIT */
/*
 * uart.c - the guest's 16550 serial port (National PC16550D data sheet).
 *
 * What is written is out at once, so the transmitter is always empty.  Input waits in a ring behind
 * the 16 bytes that a driver expects to exist; it is never reported as timed out or below a trigger
 * level: a byte that is there asks to be read.
 */
#include "dev.h"

enum { RBR, IER, IIR, LCR, MCR, LSR, MSR, SCR }; /* written: THR over RBR, FCR over IIR; with LCR[DLAB] DLL, DLM over 0, 1 */
enum { IER_RDA = 1, IER_THRE = 2 };
enum { FCR_ENABLE = 1, FCR_CLEAR_RX = 2 };
enum { LCR_DLAB = 0x80, MCR_LOOP = 0x10 };
enum { LSR_READY = 1, LSR_EMPTY = 0x60 };
enum { IIR_NONE = 1, IIR_THRE = 2, IIR_RDA = 4, IIR_FIFO = 0xc0 };
#define MSR_CONNECTED 0xb0 /* carrier, data set ready, clear to send */

static u32 cause(const struct vuart *u)
{
    if ((u->ier & IER_RDA) && u->rx_head != u->rx_tail)
        return IIR_RDA;
    return (u->ier & IER_THRE) && u->thri ? IIR_THRE : IIR_NONE;
}

void uart_poll(struct vm *vm)
{
    bool asks = cause(&vm->uart) != IIR_NONE;
    if (asks != (vm->uic.lines >> (31 - UART_IRQ) & 1))
        vuic_line(vm, UART_IRQ, asks);
}

static u32 read(struct vuart *u, u32 reg)
{
    u32 value;
    switch (reg) {
    case RBR: return u->rx_head != u->rx_tail ? u->rx[u->rx_tail++] : 0;
    case IER: return u->ier;
    case IIR:
        value = cause(u);
        if (value == IIR_THRE)
            u->thri = false;
        return value | (u->fcr & FCR_ENABLE ? IIR_FIFO : 0);
    case LCR: return u->lcr;
    case MCR: return u->mcr;
    case LSR: return LSR_EMPTY | (u->rx_head != u->rx_tail ? LSR_READY : 0);
    case MSR: /* in a loop, our own outputs: RTS, DTR, OUT1, OUT2 */
        if (u->mcr & MCR_LOOP)
            return (u->mcr & 12) << 4 | (u->mcr & 1) << 5 | (u->mcr & 2) << 3;
        return MSR_CONNECTED;
    default: return u->scr;
    }
}

u32 uart_read(struct vm *vm, u32 reg)
{
    struct vuart *u = &vm->uart;
    if ((u->lcr & LCR_DLAB) && reg <= IER)
        return reg ? u->dlm : u->dll;
    u32 value = read(u, reg);
    uart_poll(vm);
    return value;
}

static void write(struct vm *vm, struct vuart *u, u32 reg, u8 value)
{
    switch (reg) {
    case RBR:
        if (u->mcr & MCR_LOOP)
            u->rx[u->rx_head++] = value;
        else
            console_putc(vm->id, value);
        u->thri = true;
        break;
    case IER:
        u->thri |= value & ~u->ier & IER_THRE;
        u->ier = value & 15;
        break;
    case IIR:
        u->fcr = value;
        if (value & FCR_CLEAR_RX)
            u->rx_tail = u->rx_head;
        break;
    case LCR: u->lcr = value; break;
    case MCR: u->mcr = value & 31; break;
    case SCR: u->scr = value; break;
    }
}

void uart_write(struct vm *vm, u32 reg, u32 value)
{
    struct vuart *u = &vm->uart;
    if ((u->lcr & LCR_DLAB) && reg <= IER)
        *(reg ? &u->dlm : &u->dll) = value;
    else
        write(vm, u, reg, value);
    uart_poll(vm);
}
