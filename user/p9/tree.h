/* SPDX-License-Identifier: MIT */
/*
 * tree.h - what a server asks of the tree that it serves. Each function is as the one of its name in files/fs.h, which
 * has a tree in memory (p9_memory); a tree on a disk is user/disk/tree.c. A path is one name, "." and ".." for
 * find() only, and nodes are the tree's own.
 */
#ifndef AMALGAM_P9_TREE_H
#define AMALGAM_P9_TREE_H

#include "../files/fs.h"

struct p9_tree {
    struct fs_node *(*hold)(struct fs_node *node);
    void (*release)(struct fs_node *node); /* NULL: of nothing */
    bool (*is_folder)(const struct fs_node *node);
    void (*describe)(const struct fs_node *node, struct fs_stat *s);
    int (*find)(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, struct fs_node **node);
    int (*open)(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, unsigned mode,
                struct fs_node **node);
    int (*make_folder)(struct fs *fs, struct fs_node *from, const char *path, unsigned mode);
    int (*make_symlink)(struct fs *fs, const char *target, struct fs_node *from, const char *path);
    int (*link_node)(struct fs *fs, struct fs_node *node, struct fs_node *from, const char *path);
    int (*unlink)(struct fs *fs, struct fs_node *from, const char *path);
    int (*remove_folder)(struct fs *fs, struct fs_node *from, const char *path);
    int (*rename)(struct fs *fs, struct fs_node *from_old, const char *old, struct fs_node *from_new, const char *new);
    int (*set_mode)(struct fs *fs, struct fs_node *node, unsigned mode);
    int (*set_times)(struct fs *fs, struct fs_node *node, uint64_t atime, uint64_t mtime);
    int64_t (*read_link)(const struct fs_node *node, char *to, size_t n);
    int64_t (*read)(struct fs *fs, struct fs_node *node, uint64_t at, void *to, size_t n);
    int64_t (*write)(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n);
    int (*truncate)(struct fs *fs, struct fs_node *node, uint64_t size);
    int (*next)(struct fs *fs, struct fs_node *folder, struct fs_place *place, struct fs_entry *entry);
    /* Each NULL, or: a fid is opened for a node; no more, with an error if something of what was written is not there;
     * what was written is to be there. fs->payer is the client's account. */
    int (*begin)(struct fs *fs, struct fs_node *node);
    int (*end)(struct fs *fs, struct fs_node *node);
    int (*sync)(struct fs *fs, struct fs_node *node);
};

extern const struct p9_tree p9_memory; /* memory.c */

#endif
