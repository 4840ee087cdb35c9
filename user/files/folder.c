/* SPDX-License-Identifier: MIT */
/*
 * folder.c - the names in a folder: a list in the order in which they were made, which a reading of the folder follows,
 * and buckets by which one is found.
 */
#include <stdlib.h>
#include <string.h>

#include "node.h"

#define BUCKETS 8u /* at first */
#define SELF    1u /* numbers of a place behind "." and ".." */
#define PARENT  2u

size_t name_scan(const char *text, uint32_t *hash)
{
    const char *at = text;
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *at && *at != '/'; at++)
        h = (h ^ (uint8_t)*at) * 16777619u;
    *hash = h;
    return (size_t)(at - text);
}

void folder_begin(struct fs_node *node, struct fs_node *parent)
{
    node->links = 2;
    node->folder = (struct folder){ .parent = parent == node ? node : fs_hold(parent), .last_number = PARENT };
}

static void free_name(struct name *name) { account_free(name->payer, name, sizeof *name + name->length); }

/* What it held of names is unlinked already, or the whole tree ends. */
void folder_free(struct fs_node *node)
{
    for (struct name *n = node->folder.first, *next; n; n = next) {
        next = n->next;
        free_name(n);
    }
    free(node->folder.bucket);
}

struct name *folder_find(const struct fs_node *folder, const char *text, size_t n, uint32_t hash)
{
    const struct folder *f = &folder->folder;
    struct name *name = f->buckets ? f->bucket[hash & (f->buckets - 1)] : NULL;
    while (name && (name->hash != hash || name->length != n || memcmp(name->text, text, n)))
        name = name->same;
    return name;
}

static void put_in_bucket(struct folder *f, struct name *name)
{
    struct name **bucket = &f->bucket[name->hash & (f->buckets - 1)];
    name->same = *bucket;
    *bucket = name;
}

/* Without memory for more buckets those that there are do. Returns whether there are any. */
static bool grow(struct folder *f)
{
    uint32_t n = f->buckets ? f->buckets * 2 : BUCKETS;
    struct name **bucket = f->names < f->buckets ? NULL : calloc(n, sizeof *bucket);
    if (bucket) {
        free(f->bucket);
        f->bucket = bucket;
        f->buckets = n;
        for (struct name *name = f->first; name; name = name->next)
            put_in_bucket(f, name);
    }
    return f->buckets;
}

/* A folder that is moved has another parent. */
static void adopt(struct fs_node *folder, struct fs_node *node)
{
    struct fs_node *before = node->folder.parent;
    folder->links++;
    if (before == folder)
        return;
    node->folder.parent = fs_hold(folder);
    fs_release(before);
}

int folder_add(struct fs *fs, struct fs_node *folder, const char *text, size_t n, uint32_t hash, struct fs_node *node)
{
    struct folder *f = &folder->folder;
    if (!folder->links)
        return -ENOENT;
    struct name *name = account_alloc(fs->payer, sizeof *name + n);
    if (!name || !grow(f)) {
        account_free(fs->payer, name, sizeof *name + n);
        return -ENOSPC;
    }
    *name = (struct name){ .node = node,
                           .payer = fs->payer,
                           .number = ++f->last_number,
                           .hash = hash,
                           .length = (uint8_t)n,
                           .previous = f->last };
    memcpy(name->text, text, n);
    *(f->last ? &f->last->next : &f->first) = name;
    f->last = name;
    f->names++;
    put_in_bucket(f, name);
    if (S_ISDIR(node->mode))
        adopt(folder, node);
    node_touch(fs, folder, true);
    return 0;
}

void folder_remove(struct fs *fs, struct fs_node *folder, struct name *name)
{
    struct folder *f = &folder->folder;
    struct name **at = &f->bucket[name->hash & (f->buckets - 1)];
    while (*at != name)
        at = &(*at)->same;
    *at = name->same;
    *(name->previous ? &name->previous->next : &f->first) = name->next;
    *(name->next ? &name->next->previous : &f->last) = name->previous;
    if (f->told == name)
        f->told = name->previous;
    f->names--;
    folder->links -= S_ISDIR(name->node->mode);
    node_touch(fs, folder, true);
    free_name(name);
}

void folder_change(struct fs *fs, struct fs_node *folder, struct name *name, struct fs_node *node)
{
    folder->links -= S_ISDIR(name->node->mode);
    name->node = node;
    if (S_ISDIR(node->mode))
        adopt(folder, node);
    node_touch(fs, folder, true);
}

static void tell(struct fs_entry *entry, const struct fs_node *node, const char *text, size_t n)
{
    entry->number = node->number;
    entry->mode = node->mode;
    memcpy(entry->name, text, n);
    entry->name[n] = '\0';
}

int fs_next(struct fs *fs, struct fs_node *folder, struct fs_place *place, struct fs_entry *entry)
{
    struct folder *f = &folder->folder;
    if (!folder->links)
        return -ENOENT;
    if (place->number < PARENT) {
        place->number++;
        tell(entry, place->number == SELF ? folder : f->parent, "..", place->number);
        return 1;
    }
    struct name *name = f->told && f->told->number <= place->number ? f->told : f->first;
    while (name && name->number <= place->number)
        name = name->next;
    if (!name)
        return 0;
    f->told = name;
    place->number = name->number;
    tell(entry, name->node, name->text, name->length);
    node_was_read(fs, folder);
    return 1;
}

/* Written from its end, since the way leads up. */
int64_t fs_path(struct fs *fs, const struct fs_node *folder, char *to, size_t n)
{
    size_t at = n;
    if (!folder->links)
        return -ENOENT;
    if (n < 2)
        return -ERANGE;
    to[--at] = '\0';
    for (const struct fs_node *parent; folder != fs->root; folder = parent) {
        parent = folder->folder.parent;
        const struct name *name = parent->folder.first;
        while (name->node != folder)
            name = name->next;
        if (at < (size_t)name->length + 1)
            return -ERANGE;
        at -= name->length;
        memcpy(to + at, name->text, name->length);
        to[--at] = '/';
    }
    if (at == n - 1)
        to[--at] = '/';
    memmove(to, to + at, n - at);
    return (int64_t)(n - at - 1);
}
