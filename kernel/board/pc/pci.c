/* SPDX-License-Identifier: MIT */
/*
 * pci.c - the devices of PCI bus 0 that a process may drive (hal/device.h).
 *
 * Where a device's registers are is said by pci_ports.c or, of a kernel with virtio devices, pci_virtio.c. Behind a
 * bridge nothing is looked for, because which line an interrupt from there takes is known to the firmware's AML only.
 * On bus 0 the chipset decides (pci.h).
 */
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/device.h>
#include <string.h>

#include "pci.h"

#define HEADER           0x0c /* with the header's type in bits 16-23 */
#define HEADER_FUNCTIONS (1u << 23)
#define INTERRUPT        0x3c /* with the pin, from 1 on, in bits 8-15 */

#define SLOTS 32
#define PINS  4u

static struct hal_device devices[HAL_DEVICES];
static unsigned n_devices, left_out;

unsigned hal_devices(const struct hal_device **list)
{
    *list = devices;
    return n_devices;
}

static __init_text u8 line_of(u32 slot, u32 place)
{
    u32 pin = pci_read(place, INTERRUPT) >> 8 & 0xff;
    return pin && pin <= PINS ? pci_line(slot, pin - 1) : HAL_NO_LINE;
}

static __init_text unsigned count(const struct hal_device_kind *kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_devices; i++)
        n += devices[i].kind == kind;
    return n;
}

static __init_text void add(const struct hal_device_kind *kind, u32 slot, u32 place)
{
    struct hal_device *d = &devices[n_devices];
    s32 registers = n_devices == HAL_DEVICES ? -ENODEV : pci_registers(kind, place, n_devices);
    if (registers < 0) {
        left_out++;
        return;
    }
    *d = (struct hal_device){ .kind = kind, .registers = (u16)registers, .place = place };
    d->line = line_of(slot, place);
    ksnprintf(d->name, sizeof(d->name), "%s-%u", kind->name, count(kind));
    n_devices++;
    hal_device_master(d, false); /* whatever the firmware has begun */
    printk("pci: %s at slot %u, line %u\n", d->name, slot, d->line);
}

static __init_text void look(u32 slot, u32 place)
{
    u32 id = pci_read(place, PCI_ID);
    for (const struct hal_device_kind *const *k = __start_device_kinds; k < __stop_device_kinds; k++)
        if (id && (*k)->pci == id)
            add(*k, slot, place);
}

/* Without a bus the ports read all ones, which is no device's identity. */
static __init_text void enumerate(void)
{
    for (u32 slot = 0; slot < SLOTS && pci_is_here(); slot++) {
        u32 place = slot << 11;
        u32 functions = pci_read(place, HEADER) & HEADER_FUNCTIONS ? 8 : 1;
        for (u32 function = 0; function < functions; function++)
            look(slot, place | function << 8);
    }
    if (left_out)
        printk("pci: %u devices left out: no registers, or more than %d\n", left_out, HAL_DEVICES);
}
INIT_CALL(enumerate);
