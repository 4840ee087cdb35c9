/* SPDX-License-Identifier: MIT */
/* check.c - follows all that a file system has: amalgam/disk.h. */
#include <stdio.h>
#include <string.h>

#include "blocks.h"

#define DEEPEST 512  /* bytes of a path */
#define TIMES   256u /* a block is read: a folder is searched from its begin for each of its files */

static int used(void *n, lfs_block_t block)
{
    (void)block;
    ++*(lfs_size_t *)n;
    return 0;
}

static int read_file(lfs_t *fs, const char *path)
{
    static char some[AMALGAM_DISK_BLOCK];
    lfs_file_t f;
    int err = lfs_file_open(fs, &f, path, LFS_O_RDONLY);
    if (err)
        return err;
    lfs_ssize_t n;
    while ((n = lfs_file_read(fs, &f, some, sizeof(some))) > 0)
        ;
    err = lfs_file_close(fs, &f);
    return n < 0 ? (int)n : err;
}

static int check_folder(lfs_t *fs, char *path)
{
    lfs_dir_t dir;
    struct lfs_info info;
    size_t end = strlen(path);
    int err = lfs_dir_open(fs, &dir, path), more;
    if (err)
        return err;
    while ((more = lfs_dir_read(fs, &dir, &info)) > 0 && !err) {
        if (!strcmp(info.name, ".") || !strcmp(info.name, ".."))
            continue;
        if (end + 1 + strlen(info.name) >= DEEPEST)
            err = LFS_ERR_NAMETOOLONG;
        else
            sprintf(path + end, "/%s", info.name);
        if (!err)
            err = info.type == LFS_TYPE_DIR ? check_folder(fs, path) : read_file(fs, path);
        path[end] = '\0';
    }
    int closed = lfs_dir_close(fs, &dir);
    return err ? err : more < 0 ? more : closed;
}

int amalgam_disk_check(lfs_t *fs)
{
    char path[DEEPEST] = "/";
    lfs_size_t blocks = 0;
    blocks_bound(fs->cfg, TIMES);
    int err = lfs_fs_traverse(fs, used, &blocks);
    if (!err)
        err = blocks > 2 * fs->cfg->block_count ? LFS_ERR_CORRUPT : check_folder(fs, path);
    blocks_bound(fs->cfg, 0);
    return err;
}
