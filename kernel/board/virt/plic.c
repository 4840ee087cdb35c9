/* SPDX-License-Identifier: MIT */
/* plic.c - connects inputs of the PLIC; see board/plic.h. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <board/plic.h>
#include <hal/memory.h>

#define PLIC_ENABLE         0x2000u
#define PLIC_ENABLE_STRIDE  0x80u
#define PLIC_CONTEXT        0x200000u
#define PLIC_CONTEXT_STRIDE 0x1000u
#define PLIC_MAX_IRQ        1023u
#define PLIC_MAX_CONTEXT    15871u

static __init_text u32 context_of(const struct cpu *c)
{
    for (unsigned i = 0; i < machine.n_harts; i++)
        if (machine.hart[i] == c->arch.hart)
            return machine.plic_context[i];
    return NO_NUMBER;
}

__init_text volatile u32 *plic_connect(u32 irq, const struct cpu *c, bool on, volatile u32 **priority)
{
    u32 context = context_of(c);
    if (!machine.plic || context > PLIC_MAX_CONTEXT || !irq || irq > PLIC_MAX_IRQ)
        return NULL;
    if (!*priority)
        *priority = hal_map_device(machine.plic, PAGE_SIZE);
    volatile u32 *enable =
        hal_map_device(machine.plic + PLIC_ENABLE + context * PLIC_ENABLE_STRIDE, PLIC_ENABLE_STRIDE);
    volatile u32 *registers = hal_map_device(machine.plic + PLIC_CONTEXT + context * PLIC_CONTEXT_STRIDE, PAGE_SIZE);
    if (!*priority || !enable || !registers)
        return NULL;
    (*priority)[irq] = on;
    enable[irq / 32] |= 1u << irq % 32;
    registers[0] = 0; /* threshold */
    return &registers[1];
}
