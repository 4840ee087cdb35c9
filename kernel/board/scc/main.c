/* SPDX-License-Identifier: MIT */
/*
 * main.c - a kernel on each core of an SCC, from the first C instruction to core_start(). Each kernel runs alone in
 * memory of its own. The host's information in that memory says what it needs to know of the board. Core 0 starts the
 * others.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/scc.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/upcalls.h>

#include "clock.h"
#include "start.h"

#define LAPIC  0xfee00000u
#define IOAPIC 0xfec00000u

extern const char image_start[], image_end[];

__init_text u32 machine_isa_gsi(unsigned irq) { return irq; }

/* Describe the emulated board, a PC without firmware: its controllers are at fixed addresses; mask the 8259s. */
static __init_text void describe_machine(void)
{
    machine.n_cpus = 1;
    machine.lapic = LAPIC;
    machine.n_ioapics = scc_core == 0;
    machine.ioapic[0].base = IOAPIC;
    if (scc_core == 0) {
        outb(0x21, 0xff);
        outb(0xa1, 0xff);
    }
}

static __init_text void map_shared(void)
{
    if (!scc_lut[SCC_SHARED >> LUT_SHIFT] || paging_map(SCC_SHARED, SCC_SHARED, 1u << LUT_SHIFT, PTE_W) ||
        scc_doorbell_init())
        panic("scc: no shared memory by LUT entry %u, or no doorbell", (u32)(SCC_SHARED >> LUT_SHIFT));
}

__init_text void scc_begin(void)
{
    cpu_here_is(&only_cpu);
    cpus[0] = &only_cpu;
    n_cpus = 1;
    idt_init();
    console_init();
}

__init_text void arch_main(void)
{
    scc_begin();
    scc_read_info();
    core_memory_init(virt_to_phys(image_start), virt_to_phys(image_end));
    describe_machine();
    traps_init(&only_cpu);
    paging_init();
    paging_enable_cpu();
    map_shared();
    apic_setup(false);
    apic_enable();
    only_cpu.arch.apic_id = apic_id();
    clock_init();
    time_init_cpu();
    fpu_init_cpu();
    if (scc_core == 0)
        scc_start_others();
    if (scc_core == 0 && ioapic_route(3, VEC_CONSOLE1) + ioapic_route(4, VEC_CONSOLE0))
        printk("scc: no I/O APIC routes COM1: the console cannot take input\n");
    else
        console_queue(true);
    for (unsigned port = 0; port < 2; port++) /* a byte that has come meanwhile interrupts now */
        hal_console_irqs(port, CONSOLE_IRQ_RX);
    char *stack = hal_stack_alloc(); /* the boot stack has no guard page */
    if (!stack)
        panic("boot: no memory for a stack");
    call_on_stack(core_start, 0, stack + HAL_STACK_SIZE);
}
