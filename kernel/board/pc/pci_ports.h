/* SPDX-License-Identifier: MIT */
/* pci_ports.h - devices with registers in ports, as pci_ports.c and pci_virtio.c have them. */
#ifndef AMALGAM_BOARD_PC_PCI_PORTS_H
#define AMALGAM_BOARD_PC_PCI_PORTS_H

#include <arch/cpu.h>
#include <errors.h>

#include "pci.h"

static inline u32 read_port(u16 port, u32 width) { return width == 1 ? inb(port) : width == 2 ? inw(port) : inl(port); }

static inline void write_port(u16 port, u32 width, u32 value)
{
    if (width == 1)
        outb(port, (u8)value);
    else if (width == 2)
        outw(port, (u16)value);
    else
        outl(port, value);
}

/* Returns the first port, or -ENODEV. */
static inline s32 first_port(u32 place, unsigned n)
{
    u32 bar = pci_ports(place, n);
    return !(bar & PCI_BAR_IS_IO) || bar >> 16 || !(bar & ~3u) ? -ENODEV : (s32)(bar & ~3u);
}

/* Let a device be master of the bus, or no longer. The upper half, status bits that are cleared by ones, is written
 * with zeros. Reading the command back waits until what the device has sent before has arrived (PCI 3.0, 3.2.5.1). */
static inline void set_master(u32 place, u32 decodes, bool on)
{
    pci_write(place, PCI_COMMAND, decodes | (on ? PCI_COMMAND_MASTER : 0));
    pci_read(place, PCI_COMMAND);
}

#endif
