/* SPDX-License-Identifier: MIT */
/* pci_parts.h - where the registers of a virtio device are (pci_parts.c). */
#ifndef AMALGAM_BOARD_PC_PCI_PARTS_H
#define AMALGAM_BOARD_PC_PCI_PARTS_H

#include <types.h>

enum { PART_CONFIG, PART_COMMON, PART_INTERRUPT, PART_BELLS, PARTS };

struct virtio_parts {
    struct virtio_part {
        paddr_t at;
        u32 size; /* bytes; at most 64 KiB of the bells, 256 of others */
    } part[PARTS];
    u32 step; /* bytes between two bells */
};

/*
 * Find the parts of the device at `place`, and turn off its interrupts by messages. Whatever its capabilities say, what
 * is found lies within its base addresses, which are restored. Returns 0, or -ENODEV: a part is missing. Boot; the
 * device's memory is decoded by nobody meanwhile.
 */
int virtio_parts_find(u32 place, struct virtio_parts *found);

#endif
