/* SPDX-License-Identifier: MIT */
/*
 * blocks.h - what a file system on a disk stands on: blocks of a device that is not known here. Tests have a model of
 * one, processes a virtio disk (virtio.c) or a range of one that another process drives (range_disk.c).
 */
#ifndef AMALGAM_USER_DISK_BLOCKS_H
#define AMALGAM_USER_DISK_BLOCKS_H

#include <amalgam/disk.h>

#define BLOCKS_SECTOR 512u

/* Read or write whole sectors, from byte `at` of the disk on, at most a block; have all that was written on the disk.
 * Return 0 or an error below 0. */
struct blocks_driver {
    int (*read)(void *driver, uint64_t at, void *to, uint32_t n);
    int (*write)(void *driver, uint64_t at, const void *from, uint32_t n);
    int (*flush)(void *driver);
};

/* Let littlefs have d's blocks. */
void blocks_configure(struct amalgam_disk *d);

/* Let the calls that follow read each block `times` times, and some more: else a folder that is its own next part, on a
 * disk whose contents are wrong, is read for ever. 0: as often as they like. */
void blocks_bound(const struct lfs_config *c, uint32_t times);

#endif
