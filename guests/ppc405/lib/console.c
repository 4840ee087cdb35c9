/* SPDX-License-Identifier: MIT */
/*
 * console.c - UART0, polled. The line status is read once for 16 bytes, the depth of the transmit FIFO, because every
 * access is an exit under a hypervisor.
 */
#include <guest.h>

static u32 room;

static void put(char c)
{
    if (room == 0) {
        while (!(load8(UART_LSR) & 0x20))
            ;
        room = 16;
    }
    room--;
    store8(UART_DATA, (u8)c);
}

void put_char(char c)
{
    if (c == '\n')
        put('\r');
    put(c);
}
