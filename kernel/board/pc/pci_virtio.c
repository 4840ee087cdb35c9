/* SPDX-License-Identifier: MIT */
/*
 * pci_virtio.c - registers of PCI devices (hal/device.h) of a kernel that knows virtio devices, too: theirs are in
 * memory, in parts (pci_parts.h, board/virtio.h). A virtio device that knows only the interface before version 1
 * ("legacy") has none of them, and is left out.
 *
 * Such a device's hal_device.registers is its place in a table, below all ports that others may have. Nothing outside a
 * part is read or written, whatever the device said of its size.
 */
#include <board/virtio.h>
#include <boot_info.h>
#include <core/init.h>
#include <core/log.h>
#include <hal/device.h>
#include <hal/memory.h>

#include "pci_parts.h"
#include "pci_ports.h"

#define BELLS 2u /* of a device: its queues, VIRTQUEUES of device/virtqueue.h, which is above */

static struct registers {
    volatile u8 *part[PARTS];
    u32 size[PARTS], step;
    volatile u16 *bell[BELLS];
} registers[HAL_DEVICES];

static bool is_virtio(const struct hal_device *d) { return d->registers < HAL_DEVICES; }

void hal_device_master(const struct hal_device *d, bool on)
{
    set_master(d->place, is_virtio(d) ? PCI_COMMAND_MEMORY : PCI_COMMAND_IO, on);
}

/* Returns a register's place, or NULL: it is in no part. */
static volatile u8 *place_of(const struct hal_device *d, u32 at, u32 width)
{
    const struct registers *r = &registers[d->registers];
    u32 part = at / VIRTIO_PART_SIZE, in_part = at % VIRTIO_PART_SIZE;
    return in_part + width <= r->size[part] ? r->part[part] + in_part : NULL;
}

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    if (!is_virtio(d))
        return read_port((u16)(d->registers + at), width);
    const volatile u8 *reg = place_of(d, at, width);
    if (!reg)
        return ~0u;
    u32 value = width == 1 ? *reg : width == 2 ? *(const volatile u16 *)reg : *(const volatile u32 *)reg;
    barrier();
    return value;
}

/* x86 keeps the order of writes to memory and to registers, and of reads; so must the compiler. */
void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    if (!is_virtio(d)) {
        write_port((u16)(d->registers + at), width, value);
        return;
    }
    barrier();
    if (at == VIRTIO_AT(VIRTIO_QUEUE_NOTIFY)) {
        *registers[d->registers].bell[value % BELLS] = (u16)value;
        return;
    }
    volatile u8 *reg = place_of(d, at, width);
    if (!reg)
        return;
    if (width == 1)
        *reg = (u8)value;
    else if (width == 2)
        *(volatile u16 *)reg = (u16)value;
    else
        *(volatile u32 *)reg = value;
}

bool virtio_find_bell(const struct hal_device *d, u32 queue)
{
    struct registers *r = &registers[d->registers];
    u64 at = (u64)hal_device_read(d, VIRTIO_AT(VIRTIO_QUEUE_BELL), VIRTIO_BYTES(VIRTIO_QUEUE_BELL)) * r->step;
    if (queue >= BELLS || at % 2 || at + 2 > r->size[PART_BELLS])
        return false;
    r->bell[queue] = (volatile u16 *)(r->part[PART_BELLS] + at);
    return true;
}

/* Returns whether a part lies in memory that is the kernel's or a program's: no device is there. */
static __init_text bool is_ram(const struct virtio_part *p)
{
    for (unsigned i = 0; i < boot_info.n_regions; i++) {
        const struct boot_region *r = &boot_info.region[i];
        if (r->type == BOOT_MEM_RAM && p->at < r->base + r->size && r->base < p->at + p->size)
            return true;
    }
    return false;
}

static __init_text s32 find_virtio(u32 place, unsigned n)
{
    struct virtio_parts found;
    struct registers *r = &registers[n];
    pci_write(place, PCI_COMMAND, 0);
    if (virtio_parts_find(place, &found))
        return -ENODEV;
    for (unsigned i = 0; i < PARTS; i++) {
        r->part[i] = is_ram(&found.part[i]) ? NULL : hal_map_device(found.part[i].at, found.part[i].size);
        r->size[i] = found.part[i].size;
        if (!r->part[i])
            return -ENODEV;
    }
    r->step = found.step;
    return (s32)n;
}

/* The first ports are the board's own. */
__init_text s32 pci_registers(const struct hal_device_kind *kind, u32 place, unsigned n)
{
    if (kind->virtio)
        return find_virtio(place, n);
    s32 port = first_port(place, n);
    return port < (s32)VIRTIO_PART_SIZE ? -ENODEV : port;
}
