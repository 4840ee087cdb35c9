/* SPDX-License-Identifier: MIT */
/*
 * amalgam/disk.h - files on a disk: littlefs, as a library in the process that drives the disk (docs/files.md, "A
 * disk"). What is named lfs_ is littlefs' own interface.
 *
 * What was written and closed (or synchronized) is there after the process or the board was stopped at any moment;
 * what was being written then is as it was before. One thread at a time uses a file system.
 */
#ifndef AMALGAM_DISK_H
#define AMALGAM_DISK_H

#include <lfs.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AMALGAM_DISK_BLOCK 4096u /* bytes of a block of the file system */

/* Some blocks of a disk. */
struct blocks_driver;
struct amalgam_disk {
    void *driver;
    const struct blocks_driver *by;
    uint32_t first, blocks;
    uint64_t reads;           /* that may follow before a call has failed; UINT64_MAX: any number */
    struct lfs_config config; /* for lfs_format() */
};

/*
 * Open the process's device `device`, a virtio disk, and take `blocks` of its blocks from `first` on for a file system;
 * 0 blocks: up to the disk's end. *d stays where it is while the file system is used. Returns 0 or an error below 0:
 * -ENOENT: the process has no such device; -ENODEV: it is no disk; -ENOMEM; -EINVAL: the blocks are not on the disk.
 */
int amalgam_disk_open(struct amalgam_disk *d, unsigned device, uint32_t first, uint32_t blocks);

/*
 * The same of a range of a disk that another process drives: the one that its driver gives the process at tunnel
 * `index` (amalgam_disk_serve_range()). The tunnel has 128K at least. A range that was withdrawn, or whose driver has
 * ended, is LFS_ERR_IO; with the driver's next life it is there again. Returns 0 or an error below 0: -ENOENT: there is
 * no such tunnel; -EINVAL: its memory is too small; -EIO: the driver is not there; -ENOMEM.
 */
int amalgam_disk_open_range(struct amalgam_disk *d, uint32_t index);

/*
 * Serve `blocks` blocks of the process's device `device`, a disk, from `first` on to the process at tunnel `index`: it
 * gets a handle of the range (amalgam/blocks.h), reaches what that says, may send it on to others that this process
 * serves, and no more of the disk. It takes a thread for each tunnel. Returns when the tunnel is withdrawn, or an error
 * below 0, of disk_open(), blocks_make() or amalgam_files_serve().
 */
int amalgam_disk_serve_range(uint32_t index, unsigned device, uint32_t first, uint32_t blocks, bool read_only);

/* Use the file system on d's blocks, in place of lfs_mount(): what a power cut has left half done is ended. Returns 0
 * or littlefs' error; LFS_ERR_CORRUPT: there is none. lfs_unmount() ends it. */
int amalgam_disk_mount(lfs_t *fs, struct amalgam_disk *d);

/* Check a mounted file system, of which amalgam_disk_mount() has seen the root only: follow all that it has, and read
 * each file. Returns 0 or littlefs' error. */
int amalgam_disk_check(lfs_t *fs);

/* Have a mounted file system, which nobody else uses from now on, served to others. It stays. Returns NULL with errno:
 * ENOMEM, EIO. */
struct amalgam_disk_tree *amalgam_disk_tree(lfs_t *fs);
/*
 * Serve it to the client at tunnel `index` of this process, by 9P2000.L, until the tunnel is withdrawn: as
 * amalgam_files_serve() (amalgam/file_server.h), and with its results. It takes a thread; several serve one tree.
 */
int amalgam_disk_serve(struct amalgam_disk_tree *t, uint32_t index, bool read_only);

/*
 * Make a folder of the process's own tree the root of it: open(), stdio and their kind work there from now on, as with
 * amalgam_mount() (amalgam/mount.h), but without a server. It may be served to others besides. One mount a process.
 * Returns 0, or -1 with errno: EBUSY: there is one; ENOTDIR, ENOENT ...: that is no folder.
 */
int amalgam_disk_mount_at(struct amalgam_disk_tree *t, const char *path);

#ifdef __cplusplus
}
#endif

#endif
