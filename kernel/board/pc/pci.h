/* SPDX-License-Identifier: MIT */
/* pci.h - registers of PCI functions (pci_config.c), and for pci.c what differs between chipsets: pci_q35.c, and
 * ../scc/pci_piix3.c; and between kernels: pci_ports.c, or pci_virtio.c. */
#ifndef AMALGAM_BOARD_PC_PCI_H
#define AMALGAM_BOARD_PC_PCI_H

#include <types.h>

#define PCI_ID             0x00
#define PCI_COMMAND        0x04
#define PCI_COMMAND_IO     (1u << 0)
#define PCI_COMMAND_MEMORY (1u << 1)
#define PCI_COMMAND_MASTER (1u << 2)
#define PCI_BAR0           0x10
#define PCI_BAR_IS_IO      1u

struct hal_device_kind;

/* Read or write a register of the function at `place` (slot << 11 | function << 8). Any context. */
u32 pci_read(u32 place, u32 at);
void pci_write(u32 place, u32 at, u32 value);
/* Returns whether this kernel has the bus: it may be one of several on a board. Boot, and so are all below. */
bool pci_is_here(void);
/* Returns the first base address of a device, the n-th one that is found; without firmware it is set first. */
u32 pci_ports(u32 place, unsigned n);
/* Returns the input of the I/O APIC that `pin` (0: INTA) of the slot has; HAL_NO_LINE: it is not known. */
u8 pci_line(u32 slot, u32 pin);
/* Find the registers of the n-th device. Returns hal_device.registers, or -ENODEV: they are nowhere that is known. */
s32 pci_registers(const struct hal_device_kind *kind, u32 place, unsigned n);

#endif
