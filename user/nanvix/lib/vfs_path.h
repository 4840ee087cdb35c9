/* SPDX-License-Identifier: MIT */
/* vfs_path.h - what a path leads to at a file server (vfs_link.h). All but vfs_check_path() are called with the lock.
 */
#ifndef AMALGAM_NANVIX_VFS_PATH_H
#define AMALGAM_NANVIX_VFS_PATH_H

#include <nanvix/runtime/fs/vfs.h>

#include "vfs_link.h"

extern uint32_t vfs_lock;

/* Returns 0 if it can be a path; `empty` is the error of one without a byte. */
int vfs_check_path(const char *path, int empty);
/* Let a fid stand for a path; with `last`, for the folder above its last name, which *last becomes; "": there is none.
 * Returns 0 or an error. */
int vfs_walk(const char *path, uint32_t fid, const char **last);
/* Let a fid stand for nothing. Returns `error` if it is not 0, or -EIO if the session is over. */
int vfs_forget(uint32_t fid, int error);
#define VFS_OFFSET_MOST ((off_t)((1ull << (8 * sizeof(off_t) - 1)) - 1))

/* Returns the size of what a fid stands for, or an error, -EFBIG beyond VFS_OFFSET_MOST; *s is told, too, if it is not
 * NULL. */
off_t vfs_size(uint32_t fid, struct nanvix_stat *s);

#endif
