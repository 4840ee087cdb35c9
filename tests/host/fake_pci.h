/* SPDX-License-Identifier: MIT */
/*
 * fake_pci.h - one function of a PCI bus: its configuration space, and base addresses that keep the bits which their
 * sizes let them. What is behind a base address is memory of the test.
 */
#ifndef AMALGAM_TESTS_FAKE_PCI_H
#define AMALGAM_TESTS_FAKE_PCI_H

#include <stdlib.h>
#include <string.h>

#include "board/pc/pci.h"

#define FAKE_BARS 6u

static struct fake_pci {
    u8 space[256];
    u64 size[FAKE_BARS]; /* of a base address; of one in 64 bits the first half has it; 0: it keeps what it has */
    unsigned accesses;
} fake_pci;

static u32 fake_word(u32 at)
{
    u32 value;
    memcpy(&value, fake_pci.space + at, 4);
    return value;
}

static void fake_put(u32 at, u32 value) { memcpy(fake_pci.space + at, &value, 4); }

u32 pci_read(u32 place, u32 at)
{
    fake_pci.accesses++;
    if (at % 4 || at >= sizeof(fake_pci.space))
        abort();
    return fake_word(at);
}

void pci_write(u32 place, u32 at, u32 value)
{
    u32 bar = (at - PCI_BAR0) / 4;
    fake_pci.accesses++;
    if (at % 4 || at >= sizeof(fake_pci.space))
        abort();
    if (at == PCI_COMMAND) { /* the status is above it */
        memcpy(fake_pci.space + at, &value, 2);
        return;
    }
    if (at < PCI_BAR0 || bar >= FAKE_BARS) {
        fake_put(at, value);
        return;
    }
    bool upper = bar && fake_pci.size[bar - 1] && (fake_word(at - 4) & 7) == 4;
    u64 size = fake_pci.size[upper ? bar - 1 : bar];
    if (upper)
        fake_put(at, value & (u32)(-size >> 32));
    else if (size)
        fake_put(at, (value & (u32)-size & ~15u) | (fake_word(at) & 15));
}

/* A virtio capability at `at`, before another one at `next`. */
static void fake_capability(u32 at, u32 next, u32 kind, u32 bar, u32 offset, u32 size, u32 step)
{
    u32 length = kind == 2 ? 20 : 16;
    fake_put(at, 9 | next << 8 | length << 16 | kind << 24);
    fake_put(at + 4, bar);
    fake_put(at + 8, offset);
    fake_put(at + 12, size);
    if (kind == 2)
        fake_put(at + 16, step);
}

/* As QEMU's: all in base address 4, of 64 bits, at `base`; and interrupts by messages, turned on. */
static void fake_virtio_pci(u64 base)
{
    fake_pci = (struct fake_pci){ .size = { [1] = 0x1000, [4] = 0x4000 } };
    fake_put(PCI_COMMAND, 1u << 20);
    fake_put(PCI_BAR0 + 4, 0xfebd0000);
    fake_put(PCI_BAR0 + 16, (u32)base | 0xc);
    fake_put(PCI_BAR0 + 20, (u32)(base >> 32));
    fake_put(0x34, 0x98);
    fake_put(0x98, 0x11 | 0x84 << 8 | 0x80030000u);
    fake_capability(0x84, 0x70, 5, 0, 0, 0, 0);
    fake_capability(0x70, 0x60, 2, 4, 0x3000, 0x1000, 4);
    fake_capability(0x60, 0x50, 4, 4, 0x2000, 0x1000, 0);
    fake_capability(0x50, 0x40, 3, 4, 0x1000, 0x1000, 0);
    fake_capability(0x40, 0, 1, 4, 0, 0x1000, 0);
}

#endif
