/* SPDX-License-Identifier: MIT */
/* stat.h - what a tree of user/files/fs.h says of a file, as stat() says it. */
#ifndef AMALGAM_USER_STAT_H
#define AMALGAM_USER_STAT_H

#include <sys/stat.h>

#include "../files/fs.h"
#include "clock.h"

static inline void stat_put(struct stat *s, const struct fs_stat *of, dev_t tree)
{
    *s = (struct stat){ .st_dev = tree,
                        .st_ino = (ino_t)of->number,
                        .st_mode = of->mode,
                        .st_nlink = (nlink_t)of->links,
                        .st_rdev = (dev_t)of->device,
                        .st_size = (off_t)of->size,
                        .st_blksize = 4096,
                        .st_blocks = (blkcnt_t)of->blocks,
                        .st_atim = clock_timespec(of->atime),
                        .st_mtim = clock_timespec(of->mtime),
                        .st_ctim = clock_timespec(of->ctime) };
}

#endif
