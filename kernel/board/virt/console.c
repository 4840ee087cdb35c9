/* SPDX-License-Identifier: MIT */
/*
 * console.c - the board's one serial port, a 16550: for a person, or, where the command line says `tagged`, the tagged
 * channel of programs (core/console.h). Without one in the device tree the firmware's console takes what is said.
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

static volatile u8 *uart;
static unsigned shift;
static unsigned own_port; /* 0: human, 1: tagged */

static u8 get(unsigned reg) { return uart[reg << shift]; }
static void put(unsigned reg, u8 value) { uart[reg << shift] = value; }

static __init_text bool is_tagged(void)
{
    const char *line = boot_info.cmdline, *word = "tagged";
    size_t n = strlen(word);
    for (const char *p = line; *p; p++)
        if (!strncmp(p, word, n) && (p == line || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

/* The baud rate stays the firmware's: 8 bits, FIFOs on and empty, no interrupts yet. */
__init_text void console_setup(void)
{
    own_port = is_tagged();
    shift = machine.uart_shift;
    uart = machine.uart ? hal_map_device(machine.uart, PAGE_SIZE) : NULL;
    if (!uart)
        return;
    put(IER, 0);
    put(LCR, 3);
    put(FCR, 7);
    put(MCR, 0xb);
}

bool hal_console_present(unsigned port) { return port == own_port; }

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    if (port != own_port)
        return n;
    if (uart && !(get(LSR) & LSR_EMPTY))
        return 0;
    n = MIN(n, (unsigned)FIFO);
    for (unsigned i = 0; i < n; i++)
        if (uart)
            put(DATA, bytes[i]);
        else
            sbi_putchar(bytes[i]);
    return n;
}

void hal_console_irqs(unsigned port, unsigned which)
{
    if (uart && port == own_port)
        put(IER, (u8)which);
}

int hal_console_getc(unsigned port) { return uart && port == own_port && get(LSR) & LSR_RECEIVED ? get(DATA) : -1; }
