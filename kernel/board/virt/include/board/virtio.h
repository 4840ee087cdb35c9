/* SPDX-License-Identifier: MIT */
/*
 * board/virtio.h (virt) - how a virtio device is told things by registers in memory (Virtual I/O Device 1.1, 4.2.2),
 * for kernel/device/virtio.c. The configuration comes first in the registers' numbers, those of the transport behind
 * it.
 */
#ifndef AMALGAM_BOARD_VIRTIO_H
#define AMALGAM_BOARD_VIRTIO_H

#include <hal/device.h>

enum {
    VIRTIO_CONFIG = 0,
    VIRTIO_TRANSPORT = 0x100,
    VIRTIO_FEATURES = VIRTIO_TRANSPORT + 0x10,
    VIRTIO_FEATURES_WORD = VIRTIO_TRANSPORT + 0x14,
    VIRTIO_CHOSEN = VIRTIO_TRANSPORT + 0x20,
    VIRTIO_CHOSEN_WORD = VIRTIO_TRANSPORT + 0x24,
    VIRTIO_QUEUE = VIRTIO_TRANSPORT + 0x30,
    VIRTIO_QUEUE_MOST = VIRTIO_TRANSPORT + 0x34,
    VIRTIO_QUEUE_SIZE = VIRTIO_TRANSPORT + 0x38,
    VIRTIO_QUEUE_READY = VIRTIO_TRANSPORT + 0x44,
    VIRTIO_QUEUE_NOTIFY = VIRTIO_TRANSPORT + 0x50,
    VIRTIO_INTERRUPT = VIRTIO_TRANSPORT + 0x60,
    VIRTIO_INTERRUPT_SEEN = VIRTIO_TRANSPORT + 0x64,
    VIRTIO_STATUS = VIRTIO_TRANSPORT + 0x70,
    VIRTIO_QUEUE_PIECES = VIRTIO_TRANSPORT + 0x80, /* addresses: two words each */
    VIRTIO_QUEUE_OFFERED = VIRTIO_TRANSPORT + 0x90,
    VIRTIO_QUEUE_USED = VIRTIO_TRANSPORT + 0xa0,
};

/* A register's number (hal/device.h) and its bytes. */
#define VIRTIO_AT(reg)    (reg)
#define VIRTIO_BYTES(reg) 4u

/* Find where the device is told of the queue that is chosen, `queue`. Returns whether there is a place. */
static __inlined bool virtio_find_bell(const struct hal_device *d, u32 queue) { return true; }

#endif
