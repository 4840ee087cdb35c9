/* SPDX-License-Identifier: MIT */
/*
 * line.c - the PLIC of a kernel in which processes drive devices: the serial port's interrupt (board/irq.h), and lines
 * of devices (hal/device.h).
 *
 * A line is masked by its priority, a register of its own: with priority 0 it interrupts nobody. It is masked before
 * the claim is completed: the line is still raised, and the device's driver is the one to lower it. So each hart that
 * takes interrupts has its own registers to claim them, and nothing has a lock.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/irq.h>
#include <board/plic.h>
#include <core/console.h>
#include <errors.h>
#include <hal/device.h>
#include <hal/upcalls.h>

static volatile u32 *priority;
static volatile u32 *claim[MAX_CPUS]; /* claim and complete are one register; NULL: the hart takes no interrupts */
static u32 lines[HAL_LINES];          /* inputs; 0: not connected */

/* Returns 0 or -ENODEV. */
static __init_text int connect(u32 irq, const struct cpu *c, bool on)
{
    volatile u32 *own = plic_connect(irq, c, on, &priority);
    if (!own)
        return -ENODEV;
    claim[c->id] = own;
    return 0;
}

__init_text int irq_setup(void) { return connect(machine.uart_irq, this_cpu(), true); }

__init_text int hal_line_connect(unsigned line, unsigned n, unsigned cpu)
{
    int err = connect(line, cpus[cpu], false);
    if (!err)
        lines[n] = line;
    return err;
}

/* What the device was told before is done before. */
void hal_line_mask(unsigned n, bool masked)
{
    __asm__ volatile("fence o, o" ::: "memory");
    priority[lines[n]] = !masked;
}

static void take_line(u32 irq)
{
    for (unsigned n = 0; n < HAL_LINES; n++)
        if (lines[n] == irq) {
            hal_line_mask(n, true);
            device_interrupt(n);
        }
}

/* Any input that nobody has is completed and ignored. */
void irq_take(void)
{
    volatile u32 *own = claim[this_cpu()->id];
    u32 irq = own ? *own : 0;
    if (!irq)
        return;
    if (irq == machine.uart_irq)
        core_irq_console(hal_console_present(0) ? 0 : 1);
    else
        take_line(irq);
    *own = irq;
}
