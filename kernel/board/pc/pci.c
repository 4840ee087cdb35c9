/* SPDX-License-Identifier: MIT */
/*
 * pci.c - the devices of PCI bus 0 that a process may drive (hal/device.h).
 *
 * Only devices with registers in ports are known. Behind a bridge nothing is looked for, because which line an
 * interrupt from there takes is known to the firmware's AML only. On bus 0 the chipset decides (pci.h).
 */
#include <arch/cpu.h>
#include <core/init.h>
#include <core/log.h>
#include <hal/device.h>
#include <string.h>

#include "pci.h"

#define COMMAND          0x04
#define COMMAND_IO       (1u << 0)
#define COMMAND_MASTER   (1u << 2)
#define COMMAND_NO_INTX  (1u << 10)
#define HEADER           0x0c /* with the header's type in bits 16-23 */
#define HEADER_FUNCTIONS (1u << 23)
#define BAR_IS_IO        1u
#define INTERRUPT        0x3c /* with the pin, from 1 on, in bits 8-15 */

#define SLOTS 32
#define PINS  4u

static struct hal_device devices[HAL_DEVICES];
static unsigned n_devices, left_out;

/* The upper half, status bits that are cleared by ones, is written with zeros. Reading the command back waits until
 * what the device has sent before has arrived (PCI 3.0, 3.2.5.1). */
void hal_device_master(const struct hal_device *d, bool on)
{
    pci_write(d->place, COMMAND, COMMAND_IO | (on ? COMMAND_MASTER : 0));
    pci_read(d->place, COMMAND);
}

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    u16 port = (u16)(d->registers + at);
    return width == 1 ? inb(port) : width == 2 ? inw(port) : inl(port);
}

void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    u16 port = (u16)(d->registers + at);
    if (width == 1)
        outb(port, (u8)value);
    else if (width == 2)
        outw(port, (u16)value);
    else
        outl(port, value);
}

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
    u32 bar = pci_ports(place, n_devices);
    if (n_devices == HAL_DEVICES || !(bar & BAR_IS_IO) || bar >> 16 || !(bar & ~3u)) {
        left_out++;
        return;
    }
    struct hal_device *d = &devices[n_devices];
    *d = (struct hal_device){ .kind = kind, .registers = (u16)(bar & ~3u), .place = place };
    d->line = line_of(slot, place);
    ksnprintf(d->name, sizeof(d->name), "%s-%u", kind->name, count(kind));
    n_devices++;
    hal_device_master(d, false); /* whatever the firmware has begun */
    printk("pci: %s at slot %u, ports from %x, line %u\n", d->name, slot, d->registers, d->line);
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
        printk("pci: %u devices left out: without ports, or more than %d\n", left_out, HAL_DEVICES);
}
INIT_CALL(enumerate);
