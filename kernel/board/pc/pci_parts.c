/* SPDX-License-Identifier: MIT */
/*
 * pci_parts.c - capabilities of a virtio device on PCI (Virtual I/O Device 1.1, 4.1.4): each says in which base address
 * a part of the registers is, and where there.
 *
 * A capability that makes no sense is passed over, as one of a kind that was found before is (4.1.4.1). The list is a
 * chain in the device's hands, so it has as many links as there is room for, at most.
 */
#include <core/init.h>
#include <errors.h>

#include <board/virtio.h>

#include "pci.h"
#include "pci_parts.h"

#define STATUS_LIST  (1u << 20) /* of PCI_COMMAND: there is a list */
#define LIST         0x34
#define LIST_FROM    0x40u /* no capability is before */
#define CONFIG_SPACE 0x100u
#define LINKS        ((CONFIG_SPACE - LIST_FROM) / 4)

#define ID_MSI      5u
#define ID_VENDOR   9u
#define ID_MSIX     0x11u
#define MSI_ON      (1u << 16)
#define MSIX_ON     (1u << 31)
#define CAP_BAR     4u /* of a virtio capability; then where, how much, and of the bells their step */
#define CAP_AT      8u
#define CAP_SIZE    12u
#define CAP_STEP    16u
#define CAP_END     16u
#define KIND_COMMON 1u
#define KIND_BELLS  2u
#define KIND_ISR    3u
#define KIND_CONFIG 4u

#define BARS      6u
#define BAR_KIND  6u /* in 64 bits, in 32, or none that is known */
#define BAR_64    4u
#define BAR_FLAGS 15u

/* By kind: which part it is, its least size, the boundary that it is at, and what is mapped of it at most. */
static const struct {
    u8 part, least, boundary;
    u32 most;
} kinds[] __init_const = {
    [KIND_COMMON] = { PART_COMMON, VIRTIO_COMMON_SIZE, 4, VIRTIO_PART_SIZE },
    [KIND_BELLS] = { PART_BELLS, 2, 2, 64 * KIB },
    [KIND_ISR] = { PART_INTERRUPT, 1, 1, VIRTIO_PART_SIZE },
    [KIND_CONFIG] = { PART_CONFIG, 4, 4, VIRTIO_PART_SIZE },
};

/* Returns how many bytes a base address decodes, by what stays of ones. */
static __init_text u64 bar_size(u32 place, u32 at, bool wide)
{
    u32 low = pci_read(place, at), high = wide ? pci_read(place, at + 4) : 0;
    pci_write(place, at, ~0u);
    u64 stays = pci_read(place, at) & ~BAR_FLAGS;
    pci_write(place, at, low);
    if (wide) {
        pci_write(place, at + 4, ~0u);
        stays |= (u64)pci_read(place, at + 4) << 32;
        pci_write(place, at + 4, high);
    } else if (stays) {
        stays |= ~0ull << 32;
    }
    return stays & -stays; /* the lowest bit that can be set */
}

/* Returns where the part is, or 0: not in memory that the base address decodes. */
static __init_text paddr_t inside(u32 place, u32 bar, u32 offset, u32 size)
{
    u32 at = PCI_BAR0 + 4 * bar, low = bar < BARS ? pci_read(place, at) : PCI_BAR_IS_IO;
    bool wide = (low & BAR_KIND) == BAR_64;
    if (low & PCI_BAR_IS_IO || (low & BAR_KIND && !wide) || (wide && bar == BARS - 1))
        return 0;
    u64 base = (low & ~BAR_FLAGS) | (wide ? (u64)pci_read(place, at + 4) << 32 : 0);
    u64 room = bar_size(place, at, wide);
    if (!base || base & (room - 1) || base > ~0ull - room || offset > room || size > room - offset)
        return 0;
    return base + offset;
}

static __init_text void take(u32 place, u32 cap, u32 head, struct virtio_parts *found)
{
    u32 kind = head >> 24, length = head >> 16 & 0xff;
    if (!kind || kind >= ARRAY_SIZE(kinds) || found->part[kinds[kind].part].size)
        return;
    u32 end = kind == KIND_BELLS ? CAP_END + 4 : CAP_END;
    if (length < end || cap + end > CONFIG_SPACE)
        return;
    u32 offset = pci_read(place, cap + CAP_AT), size = pci_read(place, cap + CAP_SIZE);
    if (size < kinds[kind].least || offset % kinds[kind].boundary)
        return;
    paddr_t at = inside(place, pci_read(place, cap + CAP_BAR) & 0xff, offset, size);
    if (!at)
        return;
    if (kind == KIND_BELLS)
        found->step = pci_read(place, cap + CAP_STEP);
    found->part[kinds[kind].part] = (struct virtio_part){ at, MIN(size, kinds[kind].most) };
}

__init_text int virtio_parts_find(u32 place, struct virtio_parts *found)
{
    *found = (struct virtio_parts){ 0 };
    u32 cap = pci_read(place, PCI_COMMAND) & STATUS_LIST ? pci_read(place, LIST) & 0xfc : 0;
    for (unsigned n = 0; cap >= LIST_FROM && n < LINKS; n++) {
        u32 head = pci_read(place, cap);
        if ((head & 0xff) == ID_VENDOR)
            take(place, cap, head, found);
        else if ((head & 0xff) == ID_MSIX)
            pci_write(place, cap, head & ~MSIX_ON);
        else if ((head & 0xff) == ID_MSI)
            pci_write(place, cap, head & ~MSI_ON);
        cap = head >> 8 & 0xfc;
    }
    for (unsigned i = 0; i < PARTS; i++)
        if (!found->part[i].size)
            return -ENODEV;
    return 0;
}
