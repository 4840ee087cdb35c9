/* SPDX-License-Identifier: MIT */
/* virtio.h - registers of a virtio device in memory, and their values (Virtual I/O Device 1.1: 4.2.2, 2.1, 6, 5.1.3,
 * 5.2.3). */
#ifndef FIRMWARE_VIRTIO_H
#define FIRMWARE_VIRTIO_H

enum {
    MAGIC = 0x00,
    VERSION = 0x04,
    KIND = 0x08,
    FEATURES = 0x10,
    FEATURES_WORD = 0x14,
    CHOSEN = 0x20,
    CHOSEN_WORD = 0x24,
    QUEUE = 0x30,
    QUEUE_MOST = 0x34,
    QUEUE_SIZE = 0x38,
    QUEUE_READY = 0x44,
    QUEUE_NOTIFY = 0x50,
    INTERRUPT = 0x60,
    INTERRUPT_SEEN = 0x64,
    STATUS = 0x70,
    AT_PIECES = 0x80, /* addresses: two words each */
    AT_OFFERED = 0x90,
    AT_USED = 0xa0,
    CONFIG = 0x100,
    CONFIG_SIZE = 0x100,
};
enum { MAGIC_VALUE = 0x74726976, VERSION_VALUE = 2 };
enum { STATUS_SEEN = 1, STATUS_DRIVER = 2, STATUS_RUNS = 4, STATUS_FEATURES = 8 };
enum { VERSION_1 = 1 }; /* in the second word of features */
enum { NET_MAC = 1 << 5, NET_STATUS = 1 << 16, BLOCK_SIZE = 1 << 6, BLOCK_FLUSH = 1 << 9 };

#endif
