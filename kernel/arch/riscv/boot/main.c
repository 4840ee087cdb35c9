/* SPDX-License-Identifier: MIT */
/*
 * main.c - from the first C instruction with translation to core_start().
 *
 * It reads the device tree, gives core/ its memory, sets up the final page tables, the timer and interrupts, and starts
 * the other harts.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/fdt.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <arch/trap.h>
#include <board/console.h>
#include <board/irq.h>
#include <core/console.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <life.h>

extern const char image_start[], image_end[];
extern char boot_stack_top[];
static struct cpu boot_cpu;

/* Cut off memory below the image, which cannot be reached, and above the linear window. */
static __init_text void cut_memory(paddr_t image)
{
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        struct boot_region *r = &boot_info.region[i];
        u64 cut = r->base < image ? MIN(image - r->base, r->size) : 0;
        r->base += cut;
        r->size -= cut;
        u64 room = r->base - image < LINEAR_SIZE ? LINEAR_SIZE - (r->base - image) : 0;
        r->size = MIN(r->size, room);
    }
}

static __init_text void read_tree(unsigned long tree)
{
    const void *at = (const char *)DEVICES_BASE + tree % PAGE_SIZE;
    int err = machine_read(at, FDT_MAX_SIZE, &boot_info, &machine);
    if (err)
        panic("boot: the device tree at %llx cannot be read: error %d", (u64)tree, err);
}

__init_text void arch_main(unsigned long hart, unsigned long tree, unsigned long image, unsigned long starts)
{
    __asm__ volatile("mv tp, %0" ::"r"(&boot_cpu));
    linear_offset = (unsigned long)image_start - image;
    boot_cpu.arch.hart = hart;
    boot_cpu.arch.start_sp = boot_stack_top;
    cpus[0] = &boot_cpu;
    n_cpus = 1;
    traps_init();
    console_init();
    read_tree(tree);
    machine.life = (u32)(starts % LIFE_MASK) + 1;
#if SEED
    seed_add((u32)starts);
#endif
    cut_memory(image);
    core_memory_init(image, virt_to_phys(image_end));
    if (machine.zeroed && !starts)
        frames_are_zero(virt_to_phys(image_end));
    paging_init();
    console_setup();
    time_init();
    time_init_hart();
    fpu_init_hart();
    smp_start();
    if (!irq_setup())
        console_queue(true);
    else if (machine.uart)
        printk("boot: no interrupt of the serial port: the console cannot take input\n");
    char *stack = hal_stack_alloc(); /* the boot stack has no guard page */
    if (!stack)
        panic("boot: no memory for a stack");
    boot_cpu.arch.start_sp = stack + HAL_STACK_SIZE;
    call_on_stack(core_start, 0, boot_cpu.arch.start_sp);
}
