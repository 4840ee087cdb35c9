/* SPDX-License-Identifier: MIT */
/* block.h - definitions of virtio block devices (virtio 1.2, 5.2) for block.c and split_block.c. */
#ifndef AMALGAM_VM_VIRTIO_BLOCK_H
#define AMALGAM_VM_VIRTIO_BLOCK_H

#include "virtio.h"

#define BLOCK_SECTOR   512
#define BLK_F_SEG_MAX  (1ull << 2)
#define BLK_F_RO       (1ull << 5)
#define BLK_F_FLUSH    (1ull << 9)
#define BLOCK_FEATURES (VIRTIO_F_VERSION_1 | VIRTIO_F_INDIRECT_DESC | BLK_F_SEG_MAX | BLK_F_FLUSH)
#define BLOCK_BESIDE   3 /* descriptors that hold no data: header, status, indirect table */
#define BLOCK_ID_BYTES 20
#define BLOCK_ID       "amalgam\0\0\0\0\0\0\0\0\0\0\0\0" /* BLOCK_ID_BYTES with the NUL */

enum { BLOCK_IN = 0, BLOCK_OUT = 1, BLOCK_FLUSH = 4, BLOCK_GET_ID = 8 };
enum { BLOCK_OK, BLOCK_IOERR, BLOCK_UNSUPP };

struct block_request {
    u32 type, reserved;
    u64 sector;
};
struct block_config {
    u64 capacity; /* sectors */
    u32 size_max, seg_max;
} __packed;
_Static_assert(sizeof(struct block_request) == 16 && offsetof(struct block_config, seg_max) == 12, "virtio 1.2, 5.2");
_Static_assert(sizeof(BLOCK_ID) == BLOCK_ID_BYTES, "5.2.6.1");

/*
 * The struct virtio_type of a `device` structure with a member `config`. read_only: BLK_F_RO or 0. longest: descriptors
 * of a chain. notified: its function for a notification.
 */
#define BLOCK_TYPE(device, read_only, longest, notified, ...)                                                          \
    {                                                                                                                  \
        .id = VIRTIO_ID_BLOCK, .n_queues = 1, .chain = longest, .config = offsetof(device, config),                    \
        .config_size = sizeof(struct block_config), .features = BLOCK_FEATURES | (read_only), .notify = notified,      \
        __VA_ARGS__                                                                                                    \
    }

#endif
