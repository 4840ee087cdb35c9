/* SPDX-License-Identifier: MIT */
/* uart.h - a PC's serial ports COM1 and COM2, numbers 0 and 1 (uart.c). What the functions do is said in core/console.h
 * of hal_console_present() and so on, which are these on a PC (console.c) and on core 0 of an SCC
 * (board/scc/console.c).
 */
#ifndef AMALGAM_PC_UART_H
#define AMALGAM_PC_UART_H

#include <types.h>

bool uart_present(unsigned port);
unsigned uart_put(unsigned port, const u8 *bytes, unsigned n);
void uart_irqs(unsigned port, unsigned which);
int uart_getc(unsigned port);

#endif
