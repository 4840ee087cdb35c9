/* SPDX-License-Identifier: MIT */
/*
 * ivshmem.c - the NoC slice of the fleet: a PCI device whose second memory is a file that all machines share, and which
 * has a register to ring another machine (QEMU, docs/specs/ivshmem-spec.rst, the device ivshmem-doorbell). A ring
 * arrives as a message (MSI-X) at hart 0's IMSIC, in M-mode. The firmware then raises a software interrupt, as on the
 * board that is one machine.
 *
 * This sets up the whole device, because QEMU runs without a firmware of its own. Configuration space and interrupt
 * table are closed to S-mode (pmp.c).
 */
#include "csr.h"
#include "hart.h"

/* PCI 3.0, chapter 6: configuration space. */
enum { PCI_ID = 0x00, PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_BAR1 = 0x14, PCI_BAR2 = 0x18, PCI_CAPABILITIES = 0x34 };
enum { COMMAND_MEMORY = 1 << 1, COMMAND_MASTER = 1 << 2, CAPABILITY_MSIX = 0x11, CAPABILITIES_MOST = 48 };
#define MSIX_ENABLE   (1u << 31) /* in the capability's first word */
#define IVSHMEM_ID    0x11101af4u
#define IVSHMEM_TABLE 0x1000 /* offset of the interrupt table in the 8 KiB of registers */

enum { EIDELIVERY = 0x70, EITHRESHOLD = 0x72, EIE0 = 0xc0, RING = 1 /* the external interrupt that a ring is */ };

static volatile u32 *config(u32 offset) { return reg32(table()->device + (offset & ~3u)); }

static void imsic_write(ulong reg, ulong value)
{
    csr_write(MISELECT, reg);
    csr_write(MIREG, value);
}

/* Returns the offset of the capability `id`, or 0 if the device does not have it. */
static u32 find_capability(u32 id)
{
    u32 at = *config(PCI_CAPABILITIES) & 0xfc;
    for (unsigned i = 0; at && i < CAPABILITIES_MOST; i++) {
        u32 word = *config(at);
        if ((word & 0xff) == id)
            return at;
        at = word >> 8 & 0xfc;
    }
    return 0;
}

static _Noreturn void give_up(const char *why)
{
    console_say(harts[0].cluster, why);
    *reg32(FINISHER) = 1 << 16 | FINISH_FAIL;
    for (;;)
        wfi();
}

void ivshmem_init(void)
{
    if (*config(PCI_ID) != IVSHMEM_ID)
        give_up("no shared memory: the device is not an ivshmem");
    *config(PCI_BAR0) = table()->registers;
    *config(PCI_BAR1) = table()->registers + IVSHMEM_TABLE;
    *config(PCI_BAR2) = table()->noc;
    *config(PCI_BAR2 + 4) = 0; /* the upper half of a 64-bit address */
    *config(PCI_COMMAND) = COMMAND_MEMORY | COMMAND_MASTER;

    u32 msix = find_capability(CAPABILITY_MSIX);
    if (!msix)
        give_up("no shared memory: the device has no doorbell");
    volatile u32 *entry = reg32(table()->registers + IVSHMEM_TABLE);
    entry[0] = (u32)IMSIC; /* address: hart 0's page */
    entry[1] = 0;
    entry[2] = RING;
    entry[3] = 0; /* control: not masked */
    *config(msix) |= MSIX_ENABLE;

    imsic_write(EIE0, 1ul << RING);
    imsic_write(EITHRESHOLD, 0);
    imsic_write(EIDELIVERY, 1);
    fence_io();
}
