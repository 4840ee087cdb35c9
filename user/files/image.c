/* SPDX-License-Identifier: MIT */
/*
 * image.c - the tree that an archive describes (user/lib/cpio.h): folders that it does not name are made, contents are
 * read where they lie. Hard links, which an archive says by one inode number, are files of their own here.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/cpio.h"
#include "node.h"

#define NS_PER_S 1000000000ull

static uint64_t image_time(const struct cpio_entry *e) { return e->mtime * NS_PER_S; }

/* Returns what the entry describes, with no name; NULL: no memory. */
static struct fs_node *from_entry(struct fs *fs, const struct cpio_entry *e)
{
    struct fs_node *node = node_make(fs, e->mode);
    if (!node)
        return NULL;
    node->atime = node->mtime = node->ctime = image_time(e);
    node->links = 1;
    if (S_ISREG(e->mode)) {
        node->size = e->size;
        node->content.image = e->data;
        node->content.image_size = e->size;
    } else if (S_ISCHR(e->mode)) {
        node->device = (e->major & 0xff) << 8 | (e->minor & 0xff);
    } else if (S_ISLNK(e->mode)) {
        node->size = e->size;
        node->target = strndup((const char *)e->data, e->size);
        if (!node->target) {
            fs_release(node);
            return NULL;
        }
    }
    return node;
}

/* Returns the folder of that name below `at`, made if there is none. */
static int go_down(struct fs *fs, struct fs_node **at, const char *text, size_t n)
{
    uint32_t hash;
    name_scan(text, &hash);
    struct name *name = folder_find(*at, text, n, hash);
    if (name) {
        *at = name->node;
        return S_ISDIR(name->node->mode) ? 0 : -ENOTDIR;
    }
    struct fs_node *node = node_make(fs, S_IFDIR | 0755);
    if (!node)
        return -ENOMEM;
    folder_begin(node, *at);
    int error = folder_add(fs, *at, text, n, hash, node);
    if (error)
        fs_release(node);
    *at = node;
    return error;
}

static bool is_name(const char *text, size_t n)
{
    return n && n <= FS_NAME_MAX && !(text[0] == '.' && (n == 1 || (n == 2 && text[1] == '.')));
}

/* Make what the last name of an entry stands for. */
static int add_last(struct fs *fs, struct fs_node *folder, const char *text, size_t n, const struct cpio_entry *e)
{
    struct fs_node *node = folder;
    uint32_t hash;
    int error = 0;
    name_scan(text, &hash);
    if (S_ISDIR(e->mode)) {
        if (n)
            error = go_down(fs, &node, text, n);
        if (!error) {
            node->mode = e->mode;
            node->atime = node->mtime = node->ctime = image_time(e);
        }
    } else if (n && !folder_find(folder, text, n, hash)) { /* the first one counts, as for cpio_find() */
        node = from_entry(fs, e);
        error = node ? folder_add(fs, folder, text, n, hash, node) : -ENOMEM;
        if (error && node)
            fs_release(node);
    }
    return error;
}

static int add(struct fs *fs, const struct cpio_entry *e)
{
    struct fs_node *at = fs->root;
    const char *text = e->name, *end = e->name + e->name_length;
    for (const char *slash; (slash = memchr(text, '/', (size_t)(end - text))); text = slash + 1) {
        if (!is_name(text, (size_t)(slash - text)))
            return -EINVAL;
        int error = go_down(fs, &at, text, (size_t)(slash - text));
        if (error)
            return error;
    }
    if (end != text && !is_name(text, (size_t)(end - text)))
        return -EINVAL;
    return add_last(fs, at, text, (size_t)(end - text), e);
}

int fs_begin(struct fs *fs, const struct cpio *archive, uint64_t (*now)(void))
{
    struct cpio_entry e;
    int error = 0;
    *fs = (struct fs){ .now = now };
    fs->root = node_make(fs, S_IFDIR | 0755);
    if (!fs->root)
        return -ENOMEM;
    folder_begin(fs->root, fs->root);
    for (size_t at = 0; archive && error != -ENOMEM && error != -ENOSPC && cpio_next(archive, &at, &e);)
        error = add(fs, &e);
    if (error == -ENOMEM || error == -ENOSPC) {
        fs_end(fs);
        return -ENOMEM;
    }
    return 0;
}

/* Down into each folder's first name until there is none; so it needs no stack. */
void fs_end(struct fs *fs)
{
    struct fs_node *at = fs->root;
    while (at != fs->root || at->folder.first) {
        struct name *first = S_ISDIR(at->mode) ? at->folder.first : NULL;
        if (first && S_ISDIR(first->node->mode) && first->node->folder.first) {
            at = first->node;
            continue;
        }
        if (first) {
            struct fs_node *node = first->node;
            folder_remove(fs, at, first);
            node->links = S_ISDIR(node->mode) ? 1 : node->links;
            node_unlink(fs, node);
        } else {
            at = at->folder.parent;
        }
    }
    fs->root->held = 1;
    fs_release(fs->root);
    fs->root = NULL;
}
