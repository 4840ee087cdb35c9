/* SPDX-License-Identifier: MIT */
/* memory.c - the tree of files/fs.h, for the server: tree.h. */
#include "tree.h"

static int set_mode(struct fs *fs, struct fs_node *node, unsigned mode)
{
    fs_set_mode(fs, node, mode);
    return 0;
}

static int set_times(struct fs *fs, struct fs_node *node, uint64_t atime, uint64_t mtime)
{
    fs_set_times(fs, node, atime, mtime);
    return 0;
}

const struct p9_tree p9_memory = {
    .hold = fs_hold,
    .release = fs_release,
    .is_folder = fs_is_folder,
    .describe = fs_describe,
    .find = fs_find,
    .open = fs_open,
    .make_folder = fs_make_folder,
    .make_symlink = fs_make_symlink,
    .link_node = fs_link_node,
    .unlink = fs_unlink,
    .remove_folder = fs_remove_folder,
    .rename = fs_rename,
    .set_mode = set_mode,
    .set_times = set_times,
    .read_link = fs_read_link,
    .read = fs_read,
    .write = fs_write,
    .truncate = fs_truncate,
    .next = fs_next,
};
