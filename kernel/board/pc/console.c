/* SPDX-License-Identifier: MIT */
/* console.c - COM1 and COM2 as the kernel's own ports: polled output, interrupt per received byte. */
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

/* A port whose far end never takes a byte costs at most 100,000 polls a byte. */
void hal_console_putc(unsigned port, u8 byte)
{
    if (!hal_console_present(port))
        return;
    for (unsigned i = 0; i < 100000 && !(inb(base[port] + LSR) & 0x20); i++)
        cpu_relax();
    outb(base[port], byte);
}

int hal_console_getc(unsigned port)
{
    if (!hal_console_present(port) || !(inb(base[port] + LSR) & 1))
        return -1;
    return inb(base[port]);
}
