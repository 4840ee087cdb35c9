/* SPDX-License-Identifier: MIT */
/*
 * amalgam.c - what Linux on the 405 does with its hypervisor beyond single instructions: its console, early and late,
 * and its idle loop. The tools add this file to arch/powerpc/platforms/40x.
 */
#include <linux/console.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/string.h>
#include <asm/machdep.h>
#include <asm/page.h>
#include <asm/udbg.h>
#include "../../../../drivers/tty/hvc/hvc_console.h"

#define PIECE 64 /* bytes of one call */

/* The call wants a guest-physical address; this buffer has one whatever stack the caller is on. */
static char piece[PIECE];
static unsigned int pending;

/* 0: the line is busy; less: the hypervisor takes no output of ours, and there is nowhere to say so. */
static long write_from(unsigned int at) { return amalgam_console_write(__pa(piece + at), pending - at); }

static void flush(void)
{
    for (unsigned int at = 0; at < pending;) {
        long n = write_from(at);

        if (n < 0)
            break;
        at += n;
    }
    pending = 0;
}

static void early_putc(char c)
{
    if (c == '\n')
        early_putc('\r');
    piece[pending++] = c;
    if (pending == PIECE || c == '\n')
        flush();
}

/* In place of the serial port's polled output, until hvc0 is there. */
void __init amalgam_early_console(void)
{
    udbg_putc = early_putc;
    udbg_flush = flush;
}

static int put_chars(u32 number, const char *text, int length)
{
    unsigned long flags;

    local_irq_save(flags);
    pending = min(length, PIECE);
    memcpy(piece, text, pending);
    length = write_from(0); /* the hvc layer comes again with what was not taken */
    pending = 0;
    local_irq_restore(flags);
    return length < 0 ? -EIO : length;
}

static int get_chars(u32 number, char *text, int room)
{
    int n = 0;

    for (long c; n < room && (c = amalgam_console_read()) >= 0; n++)
        text[n] = c;
    return n;
}

static const struct hv_ops console_ops = { .get_chars = get_chars, .put_chars = put_chars };

static int __init console(void) { return hvc_instantiate(0, 0, &console_ops); }
console_initcall(console);

static int __init device(void)
{
    return PTR_ERR_OR_ZERO(hvc_alloc(0, 0, &console_ops, 16)); /* no interrupt: hvc polls while somebody has it open */
}
device_initcall(device);

/* Wait for an interrupt: yielding would give away the rest of a window, and a wake-up with it. */
static void amalgam_idle(void) { amalgam_insn(AMALGAM_MTMSR, amalgam_load(AMALGAM_MSR) | MSR_WE | MSR_EE, 0); }

static int __init idle(void)
{
    ppc_md.power_save = amalgam_idle;
    return 0;
}
core_initcall(idle);
