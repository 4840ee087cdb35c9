/* SPDX-License-Identifier: MIT */
/* irq.c - the PLIC (RISC-V Platform-Level Interrupt Controller 1.0), as far as one serial port needs it. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/irq.h>
#include <core/console.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

#define ENABLE         0x2000u
#define ENABLE_STRIDE  0x80u
#define CONTEXT        0x200000u
#define CONTEXT_STRIDE 0x1000u
#define MAX_IRQ        1023u
#define MAX_CONTEXT    15871u

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
    if (!machine.plic || context > MAX_CONTEXT || !irq || irq > MAX_IRQ)
        return -ENODEV;
    volatile u32 *priority = hal_map_device(machine.plic, PAGE_SIZE);
    volatile u32 *enable = hal_map_device(machine.plic + ENABLE + context * ENABLE_STRIDE, ENABLE_STRIDE);
    volatile u32 *registers = hal_map_device(machine.plic + CONTEXT + context * CONTEXT_STRIDE, PAGE_SIZE);
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
