/* SPDX-License-Identifier: MIT */
/*
 * mount.c - begins to use a file system: amalgam/disk.h.
 *
 * A file that was being moved to another folder when the power was cut is in both. littlefs ends such a move before its
 * next write only, and finds some other files not at all before that (2.11; tests/host/disk_cuts.c).
 */
#include "blocks.h"

#define TIMES 16u /* a block is read */

int amalgam_disk_mount(lfs_t *fs, struct amalgam_disk *d)
{
    blocks_bound(&d->config, TIMES);
    int err = lfs_mount(fs, &d->config);
    if (!err) {
        err = lfs_fs_mkconsistent(fs);
        if (err)
            lfs_unmount(fs);
    }
    blocks_bound(&d->config, 0);
    return err;
}
