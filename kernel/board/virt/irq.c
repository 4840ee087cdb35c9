/* SPDX-License-Identifier: MIT */
/* irq.c - the PLIC, as far as one serial port needs it. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/irq.h>
#include <board/plic.h>
#include <core/console.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

static volatile u32 *claim; /* claim and complete are one register */

static __init_text u32 own_context(void)
{
    for (unsigned i = 0; i < machine.n_harts; i++)
        if (machine.hart[i] == this_cpu()->arch.hart)
            return machine.plic_context[i];
    return NO_NUMBER;
}

__init_text int irq_setup(void)
{
    u32 context = own_context(), irq = machine.uart_irq;
    if (!machine.plic || context > PLIC_MAX_CONTEXT || !irq || irq > PLIC_MAX_IRQ)
        return -ENODEV;
    volatile u32 *priority = hal_map_device(machine.plic, PAGE_SIZE);
    volatile u32 *enable =
        hal_map_device(machine.plic + PLIC_ENABLE + context * PLIC_ENABLE_STRIDE, PLIC_ENABLE_STRIDE);
    volatile u32 *registers = hal_map_device(machine.plic + PLIC_CONTEXT + context * PLIC_CONTEXT_STRIDE, PAGE_SIZE);
    if (!priority || !enable || !registers)
        return -ENODEV;
    priority[irq] = 1;
    enable[irq / 32] |= 1u << irq % 32;
    registers[0] = 0; /* threshold */
    claim = &registers[1];
    return 0;
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
