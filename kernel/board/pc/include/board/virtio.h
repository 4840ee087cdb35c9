/* SPDX-License-Identifier: MIT */
/*
 * board/virtio.h (pc) - how a virtio device is told things by PCI (Virtual I/O Device 1.1, 4.1.4), for
 * kernel/device/virtio.c. Its registers are in parts, wherever its capabilities say (pci_virtio.c); a number here is
 * the part, the place there and, above VIRTIO_WIDTH, the bytes of the register.
 */
#ifndef AMALGAM_BOARD_VIRTIO_H
#define AMALGAM_BOARD_VIRTIO_H

#include <hal/device.h>

#define VIRTIO_PART_SIZE 0x100u /* registers of a part */
#define VIRTIO_WIDTH     16

enum {
    VIRTIO_CONFIG = 0,
    VIRTIO_COMMON = VIRTIO_PART_SIZE,
    VIRTIO_FEATURES_WORD = VIRTIO_COMMON | 4 << VIRTIO_WIDTH,
    VIRTIO_FEATURES = VIRTIO_COMMON | 4 | 4 << VIRTIO_WIDTH,
    VIRTIO_CHOSEN_WORD = VIRTIO_COMMON | 8 | 4 << VIRTIO_WIDTH,
    VIRTIO_CHOSEN = VIRTIO_COMMON | 12 | 4 << VIRTIO_WIDTH,
    VIRTIO_STATUS = VIRTIO_COMMON | 20 | 1 << VIRTIO_WIDTH,
    VIRTIO_QUEUE = VIRTIO_COMMON | 22 | 2 << VIRTIO_WIDTH,
    VIRTIO_QUEUE_SIZE = VIRTIO_COMMON | 24 | 2 << VIRTIO_WIDTH,
    VIRTIO_QUEUE_MOST = VIRTIO_QUEUE_SIZE, /* until it is written */
    VIRTIO_QUEUE_READY = VIRTIO_COMMON | 28 | 2 << VIRTIO_WIDTH,
    VIRTIO_QUEUE_BELL = VIRTIO_COMMON | 30 | 2 << VIRTIO_WIDTH,   /* times the device's step: where it is told */
    VIRTIO_QUEUE_PIECES = VIRTIO_COMMON | 32 | 4 << VIRTIO_WIDTH, /* addresses: two words each */
    VIRTIO_QUEUE_OFFERED = VIRTIO_COMMON | 40 | 4 << VIRTIO_WIDTH,
    VIRTIO_QUEUE_USED = VIRTIO_COMMON | 48 | 4 << VIRTIO_WIDTH,
    VIRTIO_INTERRUPT = 2 * VIRTIO_PART_SIZE | 1 << VIRTIO_WIDTH,
    VIRTIO_QUEUE_NOTIFY = 3 * VIRTIO_PART_SIZE | 2 << VIRTIO_WIDTH, /* a queue's number goes to that queue's bell */
    VIRTIO_INTERRUPT_SEEN = 0, /* no register: to have read the one before is enough */
};

#define VIRTIO_COMMON_SIZE 56u /* bytes of the common part */

/* A register's number (hal/device.h) and its bytes. */
#define VIRTIO_AT(reg)    ((reg) & ((1u << VIRTIO_WIDTH) - 1))
#define VIRTIO_BYTES(reg) ((u32)(reg) >> VIRTIO_WIDTH)

/* Find where the device is told of the queue that is chosen, `queue`, below VIRTQUEUES. Returns whether there is a
 * place: a device that says one outside has none. Any context. */
bool virtio_find_bell(const struct hal_device *d, u32 queue);

#endif
