/* SPDX-License-Identifier: MIT */
/* irq.c - interrupts of the PLIC where one serial port is all that has one. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/irq.h>
#include <board/plic.h>
#include <core/console.h>
#include <errors.h>
#include <hal/upcalls.h>

static volatile u32 *claim; /* claim and complete are one register */

__init_text int irq_setup(void)
{
    volatile u32 *priority = NULL;
    claim = plic_connect(machine.uart_irq, this_cpu(), true, &priority);
    return claim ? 0 : -ENODEV;
}

/* Only one input is enabled; any other that is claimed is completed and ignored. */
void irq_take(void)
{
    u32 irq = claim ? *claim : 0;
    if (!irq)
        return;
    if (irq == machine.uart_irq)
        core_irq_console(hal_console_present(0) ? 0 : 1);
    *claim = irq;
}
