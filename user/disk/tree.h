/* SPDX-License-Identifier: MIT */
/*
 * tree.h - the files of a littlefs as a tree that user/p9 serves (p9/tree.h). tree.c has nodes and attributes, files.c
 * what is in files, folders.c what changes folders and reads them.
 *
 * littlefs knows files by their paths, and an open one by a record with a block of cache. So a node is a path that
 * somebody has found, with a number that follows from the path; all who have a file open share one record, which writes
 * once somebody has written. While a file is open it is not unlinked and no other one takes its place (EBUSY).
 *
 * What is written is on the disk when the last one closes the file, or synchronizes it. A write that fails leaves the
 * file as it was then. A client has OPEN_SHARE files open at once; its account (fs.h) counts those.
 *
 * Of attributes a file has mode and time of its last change, which littlefs keeps beside it; a folder its mode. Not
 * there: links (EPERM).
 */
#ifndef AMALGAM_USER_DISK_TREE_H
#define AMALGAM_USER_DISK_TREE_H

#include "../p9/tree.h"
#include "blocks.h"

#define OPEN_SHARE  16u        /* files that a client has open at once */
#define PATH_MOST   512u       /* bytes of a path with its end; "/NAME...", the root's is "" */
#define GAP_MOST    (1u << 20) /* bytes of zeros that one call writes */
#define ATTRIBUTES  0x41       /* littlefs' number of ours */
#define FOLDER_MODE 0755u      /* of one without attributes */

/* As they lie on the disk. */
struct disk_attributes {
    uint32_t mode, mtime[2]; /* nanoseconds since 1970, the lower half first */
};

struct disk_open {
    lfs_file_t file;
    struct lfs_file_config config;
    struct lfs_attr attribute;
};

/* What a struct fs_node is here. */
struct disk_node {
    struct disk_tree *tree;
    struct disk_node *next;
    uint32_t held, opened; /* how often */
    uint32_t size;
    bool folder, gone;      /* gone: it has lost its name */
    bool writes;            /* `open` does */
    struct disk_open *open; /* NULL: nobody has read or written since it was opened */
    struct disk_attributes is;
    /* Of a folder that is being read: what littlefs has of it, and the entry that it gave last. */
    lfs_dir_t *reads;
    uint64_t place; /* of `last`; 0: none */
    struct lfs_info last;
    char path[PATH_MOST];
};

struct disk_tree {
    struct fs fs; /* fs.root is the node of the root */
    lfs_t *lfs;
    struct disk_node *nodes;
};

struct amalgam_disk_tree { /* amalgam/disk.h */
    struct disk_tree tree;
};

static inline struct disk_node *disk_node(const struct fs_node *node) { return (struct disk_node *)(uintptr_t)node; }
static inline struct disk_tree *disk_tree(struct fs *fs) { return (struct disk_tree *)fs; }

/* A path as littlefs has it. */
static inline const char *disk_lfs_path(const char *path) { return *path ? path : "/"; }

/* Begin calls of littlefs' that together read no block more often than this. */
static inline void disk_bound(const struct disk_tree *t) { blocks_bound(t->lfs->cfg, 16); }

/* tree.c */
/* Returns a negative errno for littlefs' error, and others as they are. */
int64_t disk_error(int64_t error);
/* Write the path of a name in a folder, which may be "." or "..". Returns 0, -ENAMETOOLONG or -ENOENT: the folder is
 * gone. */
int disk_path(const struct disk_node *folder, const char *name, char path[PATH_MOST]);
/* Find what is at a path. Returns 0 with the node held, or an error. */
int disk_find(struct disk_tree *t, const char *path, struct disk_node **node);
/* Returns a node of that path, held, with attributes of something new; NULL: no memory. */
struct disk_node *disk_make(struct disk_tree *t, const char *path, bool folder, unsigned mode);
uint32_t disk_number(const char *path);
void disk_touch(struct disk_node *n);

/* files.c */
/* Close the record of a file: what was written is on the disk then. Returns 0 or an error. */
int disk_close(struct disk_node *n);
int disk_open_file(struct fs *fs, struct fs_node *from, const char *name, unsigned flags, unsigned mode,
                   struct fs_node **node);
int64_t disk_read_file(struct fs *fs, struct fs_node *node, uint64_t at, void *to, size_t n);
int64_t disk_write_file(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n);
int disk_truncate(struct fs *fs, struct fs_node *node, uint64_t size);
int disk_begin(struct fs *fs, struct fs_node *node);
int disk_end(struct fs *fs, struct fs_node *node);
int disk_sync(struct fs *fs, struct fs_node *node);

/* folders.c */
/* Forget where somebody was in reading a folder. */
void disk_read_no_more(struct disk_node *n);
int disk_make_folder(struct fs *fs, struct fs_node *from, const char *name, unsigned mode);
int disk_unlink(struct fs *fs, struct fs_node *from, const char *name);
int disk_remove_folder(struct fs *fs, struct fs_node *from, const char *name);
int disk_rename(struct fs *fs, struct fs_node *from_old, const char *old, struct fs_node *from_new, const char *new);
int disk_next(struct fs *fs, struct fs_node *folder, struct fs_place *place, struct fs_entry *entry);

/* Begin a tree of a mounted file system. Returns 0 or -ENOMEM. */
int disk_tree_begin(struct disk_tree *t, lfs_t *lfs, uint64_t (*now)(void));
/* No node is held any more. */
void disk_tree_end(struct disk_tree *t);
extern const struct p9_tree disk_tree_calls;

#endif
