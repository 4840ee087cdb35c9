/* SPDX-License-Identifier: MIT */
/*
 * amalgam/disk.h - files on a disk: littlefs, as a library in the process that drives the disk (docs/files.md, "On a
 * disk"). What is named lfs_ is littlefs' own interface.
 *
 * What was written and closed (or synchronized) is there after the process or the board was stopped at any moment;
 * what was being written then is as it was before. One thread at a time uses a file system.
 */
#ifndef AMALGAM_DISK_H
#define AMALGAM_DISK_H

#include <lfs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AMALGAM_DISK_BLOCK 4096u /* bytes of a block of the file system */

/* Some blocks of a disk. */
struct amalgam_disk {
    void *driver;
    uint32_t first, blocks;
    struct lfs_config config; /* for lfs_format() */
};

/*
 * Open the process's device `device`, a virtio disk, and take `blocks` of its blocks from `first` on for a file system;
 * 0 blocks: up to the disk's end. *d stays where it is while the file system is used. Returns 0 or an error below 0:
 * -ENOENT: the process has no such device; -ENODEV: it is no disk; -ENOMEM; -EINVAL: the blocks are not on the disk.
 */
int amalgam_disk_open(struct amalgam_disk *d, unsigned device, uint32_t first, uint32_t blocks);

/* Use the file system on d's blocks, in place of lfs_mount(): what a power cut has left half done is ended. Returns 0
 * or littlefs' error; LFS_ERR_CORRUPT: there is none. lfs_unmount() ends it. */
int amalgam_disk_mount(lfs_t *fs, struct amalgam_disk *d);

/* Check a mounted file system, of which amalgam_disk_mount() has seen the root only: follow all that it has, and read
 * each file. Returns 0 or littlefs' error. */
int amalgam_disk_check(lfs_t *fs);

#ifdef __cplusplus
}
#endif

#endif
