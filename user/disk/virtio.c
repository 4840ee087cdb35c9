/* SPDX-License-Identifier: MIT */
/* virtio.c - blocks of a virtio disk that the process drives: amalgam/disk.h. */
#include <stdlib.h>

#include "../drivers/virtio-blk.h"
#include "blocks.h"

_Static_assert(BLOCKS_SECTOR == DISK_SECTOR && AMALGAM_DISK_BLOCK <= DISK_MOST, "a block is one request");

static int read_blocks(void *driver, uint64_t at, void *to, uint32_t n)
{
    return (int)disk_read(driver, at / DISK_SECTOR, to, n);
}

static int write_blocks(void *driver, uint64_t at, const void *from, uint32_t n)
{
    return (int)disk_write(driver, at / DISK_SECTOR, from, n);
}

static int flush_blocks(void *driver) { return (int)disk_flush(driver); }

static const struct blocks_driver by = { read_blocks, write_blocks, flush_blocks };

int amalgam_disk_open(struct amalgam_disk *d, unsigned device, uint32_t first, uint32_t blocks)
{
    struct disk *disk = malloc(sizeof(*disk));
    if (!disk)
        return -AMALGAM_ENOMEM;
    int err = (int)disk_open(disk, device);
    uint64_t all = err ? 0 : disk->sectors / (AMALGAM_DISK_BLOCK / DISK_SECTOR);
    if (!err && !blocks && first < all && all - first <= UINT32_MAX)
        blocks = (uint32_t)(all - first);
    if (!err && (!blocks || first > all || blocks > all - first))
        err = -AMALGAM_EINVAL;
    if (err) {
        free(disk);
        return err;
    }
    *d = (struct amalgam_disk){ .driver = disk, .by = &by, .first = first, .blocks = blocks };
    blocks_configure(d);
    return 0;
}
