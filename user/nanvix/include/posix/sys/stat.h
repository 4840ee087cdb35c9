/* SPDX-License-Identifier: MIT */
/* posix/sys/stat.h - what nanvix_vfs_stat() tells; modes are the C library's. */
#ifndef POSIX_SYS_STAT_H_
#define POSIX_SYS_STAT_H_

#include <posix/sys/types.h>
#include <sys/stat.h>

struct nanvix_stat {
    dev_t st_dev;
    ino_t st_ino;
    mode_t st_mode;
    nlink_t st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks; /* of 512 bytes */
};

#endif
