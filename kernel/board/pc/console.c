/* SPDX-License-Identifier: MIT */
/* console.c - COM1 and COM2 as the kernel's own ports: an interrupt per received byte, and one when the FIFO is empty.
 */
#include <arch/cpu.h>
#include <core/console.h>

static const u16 base[2] = { 0x3f8, 0x2f8 };
static s8 present[2]; /* 0 unknown, 1 yes, -1 no */

enum { DATA, IER, FCR, LCR, MCR, LSR, MSR, SCR };

/* A 16550 remembers a byte in its scratch register; an empty port reads all ones. */
static bool probe(unsigned port)
{
    u16 io = base[port];
    outb(io + SCR, 0x5a);
    if (inb(io + SCR) != 0x5a)
        return false;
    outb(io + IER, 0);
    outb(io + LCR, 0x80);
    outb(io + DATA, 1); /* 115,200 baud */
    outb(io + IER, 0);
    outb(io + LCR, 3);
    outb(io + FCR, 7);
    outb(io + MCR, 0xb); /* OUT2 gates the interrupt line */
    outb(io + IER, 1);
    return true;
}

bool hal_console_present(unsigned port)
{
    if (port < 2 && !present[port])
        present[port] = probe(port) ? 1 : -1;
    return port < 2 && present[port] > 0;
}

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    if (!hal_console_present(port))
        return n;
    if (!(inb(base[port] + LSR) & 0x20))
        return 0;
    n = MIN(n, 16u);
    for (unsigned i = 0; i < n; i++)
        outb(base[port], bytes[i]);
    return n;
}

/* A rise of the line is an interrupt (ISA): it falls with `which` 0, and rises again if there still is something. */
void hal_console_irqs(unsigned port, unsigned which)
{
    if (hal_console_present(port))
        outb(base[port] + IER, (u8)which);
}

int hal_console_getc(unsigned port)
{
    if (!hal_console_present(port) || !(inb(base[port] + LSR) & 1))
        return -1;
    return inb(base[port]);
}
