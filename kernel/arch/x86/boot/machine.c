/* SPDX-License-Identifier: MIT */
/* machine.c - finds this PC's cores, interrupt controllers and timers by ACPI, and masks the 8259s. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/log.h>
#include <hal/memory.h>

/* The boot tables map 4 GiB; loaders and firmware leave nothing above. */
__init_text const void *boot_memory(paddr_t pa, u64 size)
{
    return pa < 4 * GIB && size <= 4 * GIB - pa ? phys_to_virt(pa) : NULL;
}

/* SeaBIOS leaves IRQ 0 enabled on vector 8: move both controllers to unused vectors and mask them. */
static __init_text void mask_8259(void)
{
    static const struct {
        u8 port, value;
    } writes[] = { { 0x20, 0x11 }, { 0xa0, 0x11 }, { 0x21, 0xe0 }, { 0xa1, 0xe8 }, { 0x21, 4 },
                   { 0xa1, 2 },    { 0x21, 1 },    { 0xa1, 1 },    { 0x21, 0xff }, { 0xa1, 0xff } };
    for (unsigned i = 0; i < ARRAY_SIZE(writes); i++)
        outb(writes[i].port, writes[i].value);
}

__init_text void machine_discover(void)
{
    mask_8259();
    int err = acpi_read(boot_info.rsdp, boot_memory, &machine);
    if (err)
        printk("acpi: error %d: one core, default interrupt routing\n", err);
    if (machine.damaged)
        printk("acpi: %u damaged tables left out\n", machine.damaged);
    if (machine.cpus_left_out)
        printk("acpi: %u cores more than the %d that this kernel runs\n", machine.cpus_left_out, ACPI_MAX_CPUS);
    if (!machine.lapic)
        machine.lapic = 0xfee00000;
}

__init_text u32 machine_isa_gsi(unsigned irq)
{
    for (unsigned i = 0; i < machine.n_overrides; i++)
        if (machine.override[i].irq == irq)
            return machine.override[i].gsi;
    return irq;
}
