/* SPDX-License-Identifier: MIT */
/*
 * line.c - interrupt lines of devices that processes drive (hal/device.h): level-triggered inputs of the I/O APICs,
 * each with a vector of its own.
 *
 * An interrupt is one that trap_dispatch() does not expect, so it comes here by trap_handle_unexpected(), which is the
 * board's (arch/line.h). The input is masked before the end of interrupt: the line is still raised, and the device's
 * driver is the one to lower it.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/line.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/lock.h>
#include <errors.h>
#include <hal/device.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

#define INPUTS        1 /* register: bits 16-23 are the last input's number */
#define INPUT(n)      (0x10u + 2 * (n))
#define INPUT_LOW     (1u << 13) /* active low, as PCI's lines are */
#define INPUT_LEVEL   (1u << 15)
#define INPUT_MASKED  (1u << 16)
#define IOAPIC_SELECT 0
#define IOAPIC_WINDOW 4

static struct line {
    volatile u32 *io; /* registers of its I/O APIC */
    u32 input;        /* register of its input */
} lines[HAL_LINES];
static struct spinlock lock; /* of the register that selects: each I/O APIC has one for all its inputs */

static u32 read(volatile u32 *io, u32 reg)
{
    io[IOAPIC_SELECT] = reg;
    return io[IOAPIC_WINDOW];
}

static void write(volatile u32 *io, u32 reg, u32 value)
{
    io[IOAPIC_SELECT] = reg;
    io[IOAPIC_WINDOW] = value;
}

__init_text int hal_line_connect(unsigned line, unsigned n, unsigned cpu)
{
    for (unsigned i = 0; i < machine.n_ioapics; i++) {
        u32 base = machine.ioapic[i].gsi_base;
        volatile u32 *io = line < base ? NULL : hal_map_device(machine.ioapic[i].base, PAGE_SIZE);
        if (!io || line - base > (read(io, INPUTS) >> 16 & 0xff))
            continue;
        lines[n] = (struct line){ io, INPUT(line - base) };
        write(io, lines[n].input + 1, cpus[cpu]->arch.apic_id << 24);
        hal_line_mask(n, true);
        return 0;
    }
    return -ENODEV;
}

void hal_line_mask(unsigned n, bool masked)
{
    const struct line *l = &lines[n];
    unsigned long flags = spin_lock_irqsave(&lock);
    write(l->io, l->input, (VEC_DEVICE + n) | INPUT_LOW | INPUT_LEVEL | (masked ? INPUT_MASKED : 0));
    spin_unlock_irqrestore(&lock, flags);
}

bool line_interrupt(struct trap_frame *f)
{
    unsigned n = (unsigned)f->vector - VEC_DEVICE;
    if (n >= HAL_LINES || !lines[n].io)
        return trap_user_copy(f);
    hal_line_mask(n, true);
    apic_eoi();
    device_interrupt(n);
    core_irq_exit();
    return true;
}
