/* SPDX-License-Identifier: MIT */
/* console.c - the kernel's ports are COM1 and COM2, where nothing can slip beneath the kernel (arch/direct.h). */
#include <core/console.h>

#include "uart.h"

bool hal_console_present(unsigned port) { return uart_present(port); }
unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n) { return uart_put(port, bytes, n); }
void hal_console_irqs(unsigned port, unsigned which) { uart_irqs(port, which); }
int hal_console_getc(unsigned port) { return uart_getc(port); }
