/* SPDX-License-Identifier: MIT */
/*
 * pci_q35.c - lines of a q35 (82G33 and ICH9): INTA of slot n is PIRQ E + n % 4, up to slot 24, and PIRQ A is input 16
 * of the I/O APIC. Base addresses are the firmware's.
 */
#include <hal/device.h>

#include "pci.h"

#define Q35         0x29c08086u
#define Q35_SLOTS   25 /* from here on the chipset's own, with registers for their lines */
#define Q35_PIRQ_E  20u
#define Q35_ROTATES 4

__init_text bool pci_is_here(void) { return true; }
__init_text u32 pci_ports(u32 place, unsigned n) { return pci_read(place, PCI_BAR0); }

__init_text u8 pci_line(u32 slot, u32 pin)
{
    if (slot >= Q35_SLOTS || pci_read(0, PCI_ID) != Q35)
        return HAL_NO_LINE;
    return (u8)(Q35_PIRQ_E + (slot + pin) % Q35_ROTATES);
}
