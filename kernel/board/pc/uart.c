/* SPDX-License-Identifier: MIT */
/* uart.c - COM1 and COM2 as the kernel's ports: an interrupt for each received byte, and one when the FIFO is empty,
 * from the first uart_irqs() on. */
#include <arch/cpu.h>

#include "uart.h"

enum { DATA, IER, FCR, LCR, MCR, LSR, MSR, SCR };

static u16 io[2] = { 0x3f8, 0x2f8 }; /* 0: absent */
static bool probed[2];

/*
 * Find and initialize a 16550. Its scratch register keeps a byte; an absent port reads all ones. Then set 115,200 baud,
 * 8 bits, FIFOs enabled and empty; OUT2 in the modem control register enables the interrupt line. The line stays low:
 * an I/O APIC ignores the edge of an input that is masked (82093AA, 3.2.4), and a line that is high has no other one.
 */
static bool probe(u16 at)
{
    static const struct {
        u8 reg, value;
    } writes[] = {
        { IER, 0 }, { LCR, 0x80 }, { DATA, 1 }, { IER, 0 }, { LCR, 3 }, { FCR, 7 }, { MCR, 0xb },
    };
    outb(at + SCR, 0x5a);
    if (inb(at + SCR) != 0x5a)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(writes); i++)
        outb(at + writes[i].reg, writes[i].value);
    return true;
}

/* Return the address of a port's registers, or 0. */
static u16 registers(unsigned port)
{
    if (port >= ARRAY_SIZE(io))
        return 0;
    if (!probed[port]) {
        if (!probe(io[port]))
            io[port] = 0;
        probed[port] = true;
    }
    return io[port];
}

bool uart_present(unsigned port) { return registers(port); }

unsigned uart_put(unsigned port, const u8 *bytes, unsigned n)
{
    u16 at = registers(port);
    if (!at)
        return n;
    if (!(inb(at + LSR) & 0x20))
        return 0;
    n = MIN(n, 16u);
    for (unsigned i = 0; i < n; i++)
        outb(at, bytes[i]);
    return n;
}

/* A rising edge of the line is an interrupt (ISA). It falls with `which` 0, and rises again if a condition still
 * holds. */
void uart_irqs(unsigned port, unsigned which)
{
    u16 at = registers(port);
    if (at)
        outb(at + IER, (u8)which);
}

int uart_getc(unsigned port)
{
    u16 at = registers(port);
    return at && inb(at + LSR) & 1 ? inb(at) : -1;
}
