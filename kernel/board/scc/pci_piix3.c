/* SPDX-License-Identifier: MIT */
/*
 * pci_piix3.c - ports and lines on the emulated SCC, a PC with the chipset 440FX and PIIX3 (Intel 290550, 2.5.7)
 * without firmware: nobody has given devices ports, or routed their lines. Core 0's kernel has the bus.
 *
 * Pin p of slot s is PIRQ (p + s - 1) % 4, and the PIIX3's register of a PIRQ says which interrupt of the 8259s it is.
 * The I/O APIC has the same one at its input of that number. Those are taken that no device without a plug has.
 */
#include <arch/cpu.h>
#include <board/scc.h>
#include <hal/device.h>

#include "../pc/pci.h"

#define PORTS      0xc000u /* from here on no device of the board has any before they are given out */
#define PORTS_EACH 0x100u

#define PIIX3       (1u << 11) /* slot 1 */
#define PIIX3_ID    0x70008086u
#define PIIX3_ROUTE 0x60 /* of PIRQ A to D, a byte each; bit 7: to none */
#define PIRQS       4u

#define LEVELS 0x4d0u /* a bit for each interrupt: it is one of a level */

static const u8 interrupts[PIRQS] __init_const = { 10, 11, 5, 7 };

__init_text bool pci_is_here(void) { return scc_core == 0; }

__init_text u32 pci_ports(u32 place, unsigned n)
{
    u32 bar = pci_read(place, PCI_BAR0);
    if (bar & 1 && !(bar & ~3u))
        pci_write(place, PCI_BAR0, PORTS + n * PORTS_EACH);
    return pci_read(place, PCI_BAR0);
}

__init_text u8 pci_line(u32 slot, u32 pin)
{
    if (pci_read(PIIX3, PCI_ID) != PIIX3_ID)
        return HAL_NO_LINE;
    u32 pirq = (pin + slot - 1) % PIRQS, shift = 8 * pirq;
    u32 route = pci_read(PIIX3, PIIX3_ROUTE);
    u8 interrupt = interrupts[pirq];
    pci_write(PIIX3, PIIX3_ROUTE, (route & ~(0xffu << shift)) | (u32)interrupt << shift);
    u16 port = (u16)(LEVELS + interrupt / 8);
    outb(port, (u8)(inb(port) | 1u << interrupt % 8));
    return interrupt;
}
