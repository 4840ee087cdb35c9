/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - virtio devices by registers in memory (Virtual I/O Device 1.1, 4.2) that a process may drive: hal/device.h.
 *
 * The device tree says where there may be one, and with which interrupt; what is there says its kind. A device's
 * registers have numbers from its configuration on: those of the transport are numbers 0x100 to 0x1ff. Devices that
 * know only the interface before version 1 ("legacy") are left out.
 */
#include <arch/boot.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/device.h>
#include <hal/memory.h>

#define MAGIC_VALUE 0x74726976u /* "virt" */
#define VERSION     2u
#define SLOT_SIZE   0x200u

enum { MAGIC = 0, OF_VERSION = 4, KIND = 8, STATUS = 0x70, CONFIG = 0x100 };

static struct hal_device devices[HAL_DEVICES];
static volatile u8 *slots[HAL_DEVICES]; /* each device's registers */
static unsigned n_devices;

_Static_assert(MACHINE_SLOTS <= HAL_DEVICES, "there is a place for each");

/* What was read from memory after a register was is read after it. */
u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    const volatile u8 *reg = slots[d->registers] + (at ^ CONFIG);
    u32 value = width == 1 ? *reg : width == 2 ? *(const volatile u16 *)reg : *(const volatile u32 *)reg;
    __asm__ volatile("fence i, r" ::: "memory");
    return value;
}

/* What was written to memory before is there before. */
void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    volatile u8 *reg = slots[d->registers] + (at ^ CONFIG);
    __asm__ volatile("fence w, o" ::: "memory");
    if (width == 1)
        *reg = (u8)value;
    else if (width == 2)
        *(volatile u16 *)reg = (u16)value;
    else
        *(volatile u32 *)reg = value;
}

void hal_device_master(const struct hal_device *d, bool on) {}

unsigned hal_devices(const struct hal_device **list)
{
    *list = devices;
    return n_devices;
}

static __init_text unsigned count(const struct hal_device_kind *kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_devices; i++)
        n += devices[i].kind == kind;
    return n;
}

/* Whatever ran before may have begun it: status 0 is its reset. */
static __init_text void add(const struct hal_device_kind *kind, volatile u32 *registers, u32 irq)
{
    struct hal_device *d = &devices[n_devices];
    *d = (struct hal_device){ .kind = kind,
                              .registers = (u16)n_devices,
                              .line = irq < HAL_NO_LINE ? (u8)irq : HAL_NO_LINE };
    ksnprintf(d->name, sizeof(d->name), "%s-%u", kind->name, count(kind));
    slots[n_devices++] = (volatile u8 *)registers;
    registers[STATUS / 4] = 0;
    printk("virtio: %s, line %u\n", d->name, d->line);
}

static __init_text void look(const struct machine_slot *slot)
{
    volatile u32 *registers = hal_map_device(slot->at, SLOT_SIZE);
    if (!registers || registers[MAGIC / 4] != MAGIC_VALUE || !registers[KIND / 4])
        return;
    if (registers[OF_VERSION / 4] != VERSION) {
        printk("virtio: a device at %llx left out: its version is %u\n", slot->at, registers[OF_VERSION / 4]);
        return;
    }
    for (const struct hal_device_kind *const *k = __start_device_kinds; k < __stop_device_kinds; k++)
        if ((*k)->virtio == registers[KIND / 4])
            add(*k, registers, slot->irq);
}

static __init_text void enumerate(void)
{
    const struct machine_slot *list;
    u32 n = machine_slots(&list);
    for (u32 i = 0; i < n; i++)
        look(&list[i]);
}
INIT_CALL(enumerate);
