/* SPDX-License-Identifier: MIT */
/* node.c - inodes: how they begin, are held, and end; what is said of them. */
#include "node.h"

#include <stdlib.h>
#include <string.h>

struct fs_node *node_make(struct fs *fs, unsigned mode)
{
    struct fs_node *node = account_alloc_clear(fs->payer, sizeof *node);
    if (!node)
        return NULL;
    node->payer = fs->payer;
    node->held = 1;
    node->number = ++fs->last_number;
    node->mode = mode;
    node->atime = node->mtime = node->ctime = fs->now();
    return node;
}

static void node_free(struct fs_node *node)
{
    if (S_ISDIR(node->mode))
        folder_free(node);
    else if (S_ISREG(node->mode))
        content_free(node);
    else if (S_ISLNK(node->mode))
        account_free(node->payer, node->target, (size_t)node->size + 1);
    account_free(node->payer, node, sizeof *node);
}

struct fs_node *fs_hold(struct fs_node *node)
{
    node->held++;
    return node;
}

/* A folder holds its parent: the chain may be as long as a path is deep, so this is a loop. */
void fs_release(struct fs_node *node)
{
    while (node && !--node->held) {
        struct fs_node *parent = S_ISDIR(node->mode) && node->folder.parent != node ? node->folder.parent : NULL;
        node_free(node);
        node = parent;
    }
}

void node_unlink(struct fs *fs, struct fs_node *node)
{
    node->ctime = fs->now();
    if (!--node->links)
        fs_release(node);
}

void node_touch(struct fs *fs, struct fs_node *node, bool contents)
{
    node->ctime = fs->now();
    if (contents)
        node->mtime = node->ctime;
}

uint32_t fs_device(const struct fs_node *node) { return S_ISCHR(node->mode) ? node->device : 0; }
bool fs_is_folder(const struct fs_node *node) { return S_ISDIR(node->mode); }

void fs_describe(const struct fs_node *node, struct fs_stat *s)
{
    *s = (struct fs_stat){ .number = node->number,
                           .mode = node->mode,
                           .links = node->links,
                           .device = fs_device(node),
                           .size = node->size,
                           .atime = node->atime,
                           .mtime = node->mtime,
                           .ctime = node->ctime };
    if (S_ISREG(node->mode))
        s->blocks = (node->content.blocks * BLOCK + node->content.image_size + 511) / 512;
}

void fs_set_mode(struct fs *fs, struct fs_node *node, unsigned mode)
{
    node->mode = (node->mode & S_IFMT) | (mode & 07777);
    node_touch(fs, node, false);
}

void fs_set_times(struct fs *fs, struct fs_node *node, uint64_t atime, uint64_t mtime)
{
    uint64_t now = fs->now();
    if (atime == FS_OMIT && mtime == FS_OMIT)
        return;
    if (atime != FS_OMIT)
        node->atime = atime == FS_NOW ? now : atime;
    if (mtime != FS_OMIT)
        node->mtime = mtime == FS_NOW ? now : mtime;
    node->ctime = now;
}

int64_t fs_read_link(const struct fs_node *node, char *to, size_t n)
{
    if (!S_ISLNK(node->mode))
        return -EINVAL;
    if (n > node->size)
        n = (size_t)node->size;
    memcpy(to, node->target, n);
    return (int64_t)n;
}
