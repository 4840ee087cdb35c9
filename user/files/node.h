/* SPDX-License-Identifier: MIT */
/* node.h - what the sources of the file system share: fs.h. */
#ifndef AMALGAM_FS_NODE_H
#define AMALGAM_FS_NODE_H

#include <errno.h>
#include <sys/stat.h>

#include "fs.h"

#define BLOCK     4096u
#define FAN_BITS  6
#define FAN       (1u << FAN_BITS) /* pointers of a table of blocks */
#define SIZE_MOST ((uint64_t)INT64_MAX)

/* A name in a folder. */
struct name {
    struct name *next, *previous; /* of the folder, in the order in which they were made */
    struct name *same;            /* the next one in its bucket */
    struct fs_node *node;         /* has a link by this */
    struct fs_account *payer;
    uint64_t number; /* larger than those made before */
    uint32_t hash;
    uint8_t length;
    char text[]; /* no NUL ends it */
};

struct folder {
    struct fs_node *parent; /* held; the root's is the root itself, not held */
    struct name *first, *last;
    struct name *told; /* the one that fs_next() was at last, or one before it; NULL: none */
    struct name **bucket;
    uint32_t buckets, names; /* buckets: 0 or a power of 2 */
    uint64_t last_number;
};

/* Block n is at the n-th leaf of a tree of tables, of `height` tables one below the other; 0: the root is the block.
 * NULL: a hole, or still the image's. */
struct content {
    void *root;
    unsigned height;
    const uint8_t *image; /* what the file began with */
    uint64_t image_size;
    uint64_t blocks;
};

struct fs_node {
    uint32_t held; /* also once by all its links */
    uint32_t number, mode, links;
    struct fs_account *payer;
    uint64_t size;
    uint64_t atime, mtime, ctime;
    union {
        struct folder folder;
        struct content content;
        char *target;    /* of the heap */
        uint32_t device; /* of a device: its number */
    };
};

/* account.c: memory that somebody pays for, or nobody (NULL), and the same cleared. NULL: there is none, or the account
 * has not so much left. */
void *account_alloc(struct fs_account *payer, size_t n);
void *account_alloc_clear(struct fs_account *payer, size_t n);
void account_free(struct fs_account *payer, void *memory, size_t n);

/* node.c */
/* Returns a node with no link, held once; NULL: no memory. */
struct fs_node *node_make(struct fs *fs, unsigned mode);
void node_touch(struct fs *fs, struct fs_node *node, bool contents);
/* As Linux' `relatime`: the time of access is new only if it would else be before the last change. So who compares both
 * finds what he would, and most reads ask for no time. */
static inline void node_was_read(struct fs *fs, struct fs_node *node)
{
    if (node->atime <= node->mtime || node->atime <= node->ctime)
        node->atime = fs->now();
}
/* One link less; with the last one the node ends, unless somebody holds it. */
void node_unlink(struct fs *fs, struct fs_node *node);

/* folder.c */
void folder_begin(struct fs_node *node, struct fs_node *parent);
void folder_free(struct fs_node *node);
/* Returns how many bytes a name has, up to a slash or the end; *hash becomes what the two below want of it. */
size_t name_scan(const char *text, uint32_t *hash);
struct name *folder_find(const struct fs_node *folder, const char *text, size_t n, uint32_t hash);
/* Give a node a name. Its count of links is the caller's affair. -ENOSPC; -ENOENT: the folder has been removed. */
int folder_add(struct fs *fs, struct fs_node *folder, const char *text, size_t n, uint32_t hash, struct fs_node *node);
/* Take a name away; of the node, too, the caller takes care. */
void folder_remove(struct fs *fs, struct fs_node *folder, struct name *name);
/* Have a name mean another node. */
void folder_change(struct fs *fs, struct fs_node *folder, struct name *name, struct fs_node *node);

/* content.c */
void content_free(struct fs_node *node);

/* walk.c. Where a path leads: the last name and its folder. */
struct place {
    struct fs_node *folder;
    const char *text; /* lies in the path, or in a link's target */
    size_t n;
    uint32_t hash;
    bool slash;           /* a slash follows */
    bool too_long;        /* with KEEP: the last name is */
    bool normal;          /* false: it is "/", "." or ".." */
    const char *end;      /* of the path, if all of it was followed */
    struct fs_node *node; /* NULL: there is none */
    struct name *name;    /* NULL: there is none, or it is not `normal` */
};
/* A symbolic link at the end is followed: never; if a slash is behind; always. For a file that may be made: always,
 * never; with a slash behind it, or behind what a link leads to, it is -EISDIR. */
enum last { KEEP, FOLLOW_SLASH, FOLLOW, CREATE, CREATE_KEEP };
/* Returns 0 also if there is nothing of the last name. */
int walk(struct fs *fs, struct fs_node *from, const char *path, enum last last, struct place *p);

#endif
