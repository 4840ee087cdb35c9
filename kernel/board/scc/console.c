/* SPDX-License-Identifier: MIT */
/* console.c - core 0 has the board's two serial ports, which are a PC's (board/pc/uart.c). The other cores have one
 * port for output, through core 0, and no input. */
#include <board/scc.h>
#include <core/console.h>

#include "../pc/uart.h"
#include "ring.h"

bool hal_console_present(unsigned port) { return scc_core == 0 ? uart_present(port) : port == 0; }

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    if (scc_core == 0)
        return uart_put(port, bytes, n);
    return port == 0 ? ring_put(bytes, n) : n;
}

void hal_console_irqs(unsigned port, unsigned which)
{
    if (scc_core == 0)
        uart_irqs(port, which);
    else if (port == 0)
        ring_await_room(which & CONSOLE_IRQ_TX);
}

/* A serial port is given up as on any board; core 0 may be busy for long. */
bool hal_console_drop(unsigned n, bool can_wait)
{
    if (can_wait && scc_core && ring_lives())
        return false;
    scc_shared()->dropped[scc_core] += n;
    return true;
}

int hal_console_getc(unsigned port) { return scc_core == 0 ? uart_getc(port) : -1; }
