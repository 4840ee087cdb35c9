/* SPDX-License-Identifier: MIT */
/*
 * console.c - the board's serial port, a 16550: the human port, or, if the command line has the word `tagged`, the
 * tagged channel (core/console.h). If the device tree has none, output goes to the firmware's console.
 */
#include <arch/boot.h>
#include <arch/sbi.h>
#include <board/console.h>
#include <core/console.h>
#include <hal/memory.h>
#include <string.h>

enum { DATA, IER, FCR, LCR, MCR, LSR };
#define LSR_RECEIVED 0x01
#define LSR_EMPTY    0x20
#define FIFO         16

#ifndef CONSOLE_POLLED
#define CONSOLE_POLLED 0 /* CONFIG_CONSOLE_POLLED */
#endif

static volatile u8 *uart;
static unsigned shift;
static unsigned own_port; /* 0: human, 1: tagged */
static bool by_memory;    /* the firmware's console takes bytes of memory at once */

static u8 read_reg(unsigned reg) { return uart[reg << shift]; }
static void write_reg(unsigned reg, u8 value) { uart[reg << shift] = value; }

static __init_text bool is_tagged(void)
{
    const char *line = boot_info.cmdline, *word = "tagged";
    size_t n = strlen(word);
    for (const char *p = line; *p; p++)
        if (!strncmp(p, word, n) && (p == line || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

/* Initialize the port with the firmware's baud rate: 8 bits, FIFOs enabled and empty, no interrupts yet. */
__init_text void console_setup(void)
{
    own_port = is_tagged();
    shift = machine.uart_shift;
    uart = machine.uart ? hal_map_device(machine.uart, PAGE_SIZE) : NULL;
    if (!uart) {
        by_memory = sbi_can_write();
        return;
    }
    write_reg(IER, 0);
    write_reg(LCR, 3);
    write_reg(FCR, 7);
    write_reg(MCR, 0xb);
}

bool hal_console_present(unsigned port) { return port == own_port; }

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    if (port != own_port)
        return n;
    if (by_memory)
        return sbi_write(bytes, n);
    if (uart && !(read_reg(LSR) & LSR_EMPTY))
        return 0;
    n = MIN(n, (unsigned)FIFO);
    for (unsigned i = 0; i < n; i++)
        if (uart)
            write_reg(DATA, bytes[i]);
        else
            sbi_putchar(bytes[i]);
    return n;
}

void hal_console_irqs(unsigned port, unsigned which)
{
    if (uart && port == own_port)
        write_reg(IER, (u8)which);
}

int hal_console_getc(unsigned port)
{
    if (CONSOLE_POLLED && !uart && port == own_port)
        return sbi_getchar();
    return uart && port == own_port && read_reg(LSR) & LSR_RECEIVED ? read_reg(DATA) : -1;
}
