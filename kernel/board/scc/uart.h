/* SPDX-License-Identifier: MIT */
/* uart.h - board/pc/console.c by its names on this board. */
#ifndef AMALGAM_SCC_UART_H
#define AMALGAM_SCC_UART_H

#include <types.h>

bool uart_present(unsigned port);
unsigned uart_put(unsigned port, const u8 *bytes, unsigned n);
void uart_irqs(unsigned port, unsigned which);
int uart_getc(unsigned port);

#endif
