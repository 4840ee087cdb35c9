/* SPDX-License-Identifier: MIT */
/*
 * main.c - from the first C instruction to core_start(): read the loader's information, give memory to core/, build
 * page tables, find the machine, start the other cores. The order is the same for all loaders.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/boot_parse.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/trap.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <seed.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>
#include <string.h>

extern u32 boot_kind, boot_data;
extern const char image_start[], image_end[];
static struct cpu boot_cpu;

static __init_text void parse_loader(void)
{
    int err = -ENOEXEC;
    if (boot_kind == 1)
        err = pvh_parse(boot_data, boot_memory, &boot_info);
    else if (boot_kind == 2)
        err = multiboot2_parse(phys_to_virt(boot_data), boot_data, 4 * GIB - boot_data, &boot_info);
    if (err)
        panic("boot: the loader (kind %u) left information that cannot be read: error %d", boot_kind, err);
}

/* Remove the first MiB, which is for firmware and the trampoline, and memory without an address from the regions. */
static __init_text void drop_low_memory(void)
{
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        struct boot_region *r = &boot_info.region[i];
        u64 cut = r->base < MIB ? MIN(MIB - r->base, r->size) : 0;
        r->base += cut;
        r->size -= cut;
        r->size -= ram_beyond(r->base, r->size);
    }
}

__init_text void arch_main(void)
{
    boot_cpu.arch.self = &boot_cpu;
    cpu_here_is(&boot_cpu);
    cpus[0] = &boot_cpu;
    idt_init();
    console_init();
    parse_loader();
#if SEED
    seed_take_from_line(boot_info.cmdline);
#endif
    drop_low_memory();
    core_memory_init(virt_to_phys(image_start), virt_to_phys(image_end));
    machine_discover(); /* before any allocation: the tables may be in the loader's memory */
    traps_init(&boot_cpu);
    paging_init();
    paging_enable_cpu();
    apic_setup(cpuid(1, 0).ecx & X86_FEATURE_X2APIC);
    apic_enable();
    boot_cpu.arch.apic_id = apic_id();
    time_measure();
    time_init_cpu();
    fpu_init_cpu();
    smp_start();
    if (hal_console_present(1))
        ioapic_route(3, VEC_CONSOLE1);
    if (ioapic_route(4, VEC_CONSOLE0))
        printk("boot: no I/O APIC routes COM1: the console cannot take input\n");
    else
        console_queue(true);
    for (unsigned port = 0; port < 2; port++) /* a byte that has come meanwhile interrupts now */
        hal_console_irqs(port, CONSOLE_IRQ_RX);
    char *stack = hal_stack_alloc(); /* the boot stack has no guard page */
    if (!stack)
        panic("boot: no memory for a stack");
    call_on_stack(core_start, 0, stack + HAL_STACK_SIZE);
}
