/* SPDX-License-Identifier: MIT */
/*
 * console.c - COM1, polled. The line status is read once for 16 bytes, the depth of the transmit FIFO, because every
 * port access is an exit under a hypervisor.
 */
#include <guest.h>

#define COM1 0x3f8

static unsigned room;

void console_init(void)
{
    outb(COM1 + 1, 0); /* no interrupts */
    outb(COM1 + 3, 3); /* 8n1 */
    outb(COM1 + 2, 7); /* FIFOs on and empty */
}

static void put(char c)
{
    if (room == 0) {
        for (unsigned spins = 0; !(inb(COM1 + 5) & 0x20) && spins < 1000000; spins++)
            cpu_relax();
        room = 16;
    }
    room--;
    outb(COM1, c);
}

void put_char(char c)
{
    if (c == '\n')
        put('\r');
    put(c);
}
