/* SPDX-License-Identifier: MIT */
/* pci_ports.c - registers of PCI devices (hal/device.h) of a kernel that knows them in ports only. */
#include <core/init.h>
#include <hal/device.h>

#include "pci_ports.h"

void hal_device_master(const struct hal_device *d, bool on) { set_master(d->place, PCI_COMMAND_IO, on); }

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    return read_port((u16)(d->registers + at), width);
}

void hal_device_write(const struct hal_device *d, u32 at, u32 width, u32 value)
{
    write_port((u16)(d->registers + at), width, value);
}

__init_text s32 pci_registers(const struct hal_device_kind *kind, u32 place, unsigned n)
{
    return first_port(place, n);
}
