/* SPDX-License-Identifier: MIT */
/* tree.c - what changes the tree: files, folders and links begin, get other names, and end. */
#include <stdlib.h>
#include <string.h>

#include "node.h"

static int lookup(struct fs *fs, struct fs_node *from, const char *path, enum last last, struct fs_node **node)
{
    struct place p;
    int error = walk(fs, from, path, last, &p);
    if (error)
        return error;
    if (!p.node)
        return -ENOENT;
    if (p.slash && !S_ISDIR(p.node->mode))
        return -ENOTDIR;
    *node = p.node;
    return 0;
}

int fs_find(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, struct fs_node **node)
{
    int error = lookup(fs, from, path, flags & FS_FOLLOW ? FOLLOW : FOLLOW_SLASH, node);
    if (!error)
        fs_hold(*node);
    return error;
}

int64_t fs_real_path(struct fs *fs, struct fs_node *from, const char *path, char *to, size_t n)
{
    struct place p;
    int error = walk(fs, from, path, FOLLOW, &p);
    if (error || !p.node)
        return error ? error : -ENOENT;
    if (S_ISDIR(p.node->mode))
        return fs_path(fs, p.node, to, n);
    if (p.slash)
        return -ENOTDIR;
    int64_t length = fs_path(fs, p.folder, to, n);
    if (length < 0)
        return length;
    length -= length == 1; /* of the root only the slash that comes now */
    if ((uint64_t)length + p.n + 2 > n)
        return -ERANGE;
    to[length] = '/';
    memcpy(to + length + 1, p.text, p.n);
    to[length + 1 + (int64_t)p.n] = '\0';
    return length + 1 + (int64_t)p.n;
}

/* Give a new node its only name; without one it is gone. */
static int name_new(struct fs *fs, const struct place *p, struct fs_node *node)
{
    int error = node ? folder_add(fs, p->folder, p->text, p->n, p->hash, node) : -ENOSPC;
    if (node && error)
        fs_release(node);
    return error;
}

static int make_file(struct fs *fs, const struct place *p, unsigned mode, struct fs_node **node)
{
    if (!p->folder->links)
        return -ENOENT;
    *node = node_make(fs, S_IFREG | (mode & 07777));
    int error = name_new(fs, p, *node);
    if (!error)
        (*node)->links = 1;
    return error;
}

static int may_open(const struct fs_node *node, unsigned flags)
{
    if (S_ISLNK(node->mode))
        return flags & FS_FOLDER ? -ENOTDIR : -ELOOP;
    if (S_ISDIR(node->mode))
        return flags & (FS_WRITE | FS_TRUNCATE | FS_CREATE) ? -EISDIR : 0;
    return flags & FS_FOLDER ? -ENOTDIR : S_ISREG(node->mode) || fs_device(node) ? 0 : -ENXIO;
}

int fs_open(struct fs *fs, struct fs_node *from, const char *path, unsigned flags, unsigned mode, struct fs_node **node)
{
    struct place p;
    bool keeps = !(flags & FS_FOLLOW) || (flags & FS_CREATE && flags & FS_EXCLUSIVE);
    enum last last = flags & FS_CREATE ? keeps ? CREATE_KEEP : CREATE : keeps ? FOLLOW_SLASH : FOLLOW;
    int error = walk(fs, from, path, last, &p);
    if (error)
        return error;
    if (!p.node && flags & FS_CREATE)
        error = make_file(fs, &p, mode, &p.node);
    else if (!p.node)
        error = -ENOENT;
    else if (flags & FS_CREATE && flags & FS_EXCLUSIVE)
        error = -EEXIST;
    else if (p.slash && !S_ISDIR(p.node->mode))
        error = -ENOTDIR;
    else if (!(error = may_open(p.node, flags)) && flags & FS_TRUNCATE && S_ISREG(p.node->mode))
        error = fs_truncate(fs, p.node, 0);
    if (!error)
        *node = fs_hold(p.node);
    return error;
}

/* Find the place of a name that is to be made. `folder`: it may end with a slash. */
static int free_place(struct fs *fs, struct fs_node *from, const char *path, bool folder, struct place *p)
{
    int error = walk(fs, from, path, KEEP, p);
    if (error)
        return error;
    if (p->node)
        return -EEXIST;
    if (p->too_long)
        return -ENAMETOOLONG;
    if (p->slash && !folder)
        return -ENOENT;
    return p->folder->links ? 0 : -ENOENT;
}

int fs_make_folder(struct fs *fs, struct fs_node *from, const char *path, unsigned mode)
{
    struct place p;
    int error = free_place(fs, from, path, true, &p);
    if (error)
        return error;
    struct fs_node *node = node_make(fs, S_IFDIR | (mode & 07777));
    if (node)
        folder_begin(node, p.folder);
    return name_new(fs, &p, node);
}

int fs_make_symlink(struct fs *fs, const char *target, struct fs_node *from, const char *path)
{
    struct place p;
    if (!*target)
        return -ENOENT;
    if (strnlen(target, FS_PATH_MAX) == FS_PATH_MAX)
        return -ENAMETOOLONG;
    int error = free_place(fs, from, path, false, &p);
    if (error)
        return error;
    size_t n = strlen(target);
    struct fs_node *node = node_make(fs, S_IFLNK | 0777);
    if (node && !(node->target = account_alloc(fs->payer, n + 1))) {
        fs_release(node);
        node = NULL;
    }
    if (node) {
        memcpy(node->target, target, n + 1);
        node->size = n;
    }
    error = name_new(fs, &p, node);
    if (!error)
        node->links = 1;
    return error;
}

int fs_make_device(struct fs *fs, struct fs_node *from, const char *path, unsigned mode, uint32_t number)
{
    struct place p;
    int error = free_place(fs, from, path, false, &p);
    if (error)
        return error;
    struct fs_node *node = node_make(fs, S_IFCHR | (mode & 07777));
    error = name_new(fs, &p, node);
    if (!error) {
        node->links = 1;
        node->device = number;
    }
    return error;
}

int fs_link_node(struct fs *fs, struct fs_node *node, struct fs_node *from, const char *path)
{
    struct place p;
    int error = free_place(fs, from, path, false, &p);
    if (!error && S_ISDIR(node->mode))
        error = -EPERM;
    if (!error && !node->links)
        error = -ENOENT;
    if (!error)
        error = folder_add(fs, p.folder, p.text, p.n, p.hash, node);
    if (!error) {
        node->links++;
        node_touch(fs, node, false);
    }
    return error;
}

int fs_link(struct fs *fs, struct fs_node *from_old, const char *old, unsigned flags, struct fs_node *from_new,
            const char *new)
{
    struct fs_node *node;
    int error = lookup(fs, from_old, old, flags & FS_FOLLOW ? FOLLOW : FOLLOW_SLASH, &node);
    return error ? error : fs_link_node(fs, node, from_new, new);
}

static int none(const struct place *p) { return p->too_long ? -ENAMETOOLONG : -ENOENT; }

int fs_unlink(struct fs *fs, struct fs_node *from, const char *path)
{
    struct place p;
    int error = walk(fs, from, path, KEEP, &p);
    if (error)
        return error;
    if (!p.normal)
        return -EISDIR;
    if (!p.node)
        return none(&p);
    if (S_ISDIR(p.node->mode))
        return -EISDIR;
    if (p.slash)
        return -ENOTDIR;
    folder_remove(fs, p.folder, p.name);
    node_unlink(fs, p.node);
    return 0;
}

/* A folder has lost its name. */
static void end_folder(struct fs *fs, struct fs_node *node)
{
    node->links = 1;
    node_unlink(fs, node);
}

int fs_remove_folder(struct fs *fs, struct fs_node *from, const char *path)
{
    struct place p;
    int error = walk(fs, from, path, KEEP, &p);
    if (error)
        return error;
    if (!p.normal)
        return !p.n ? -EBUSY : p.n == 1 ? -EINVAL : -ENOTEMPTY;
    if (!p.node)
        return none(&p);
    if (!S_ISDIR(p.node->mode))
        return -ENOTDIR;
    if (p.node->folder.names)
        return -ENOTEMPTY;
    folder_remove(fs, p.folder, p.name);
    end_folder(fs, p.node);
    return 0;
}

/* Returns whether `node` is `folder` or above it. */
static bool is_above(const struct fs *fs, const struct fs_node *node, const struct fs_node *folder)
{
    while (folder != node && folder != fs->root && folder->folder.parent != folder)
        folder = folder->folder.parent;
    return folder == node;
}

static int may_rename(struct fs *fs, const struct place *old, const struct place *new)
{
    if (!old->normal || !new->normal)
        return -EBUSY;
    if (!old->node)
        return none(old);
    if (new->too_long)
        return none(new);
    bool folder = S_ISDIR(old->node->mode);
    if (!folder && (old->slash || new->slash))
        return -ENOTDIR;
    if (folder && is_above(fs, old->node, new->folder))
        return -EINVAL;
    if (new->node && S_ISDIR(new->node->mode) && is_above(fs, new->node, old->folder))
        return -ENOTEMPTY;
    if (!new->node)
        return new->folder->links ? 0 : -ENOENT;
    if (new->node == old->node)
        return 0;
    if (folder != S_ISDIR(new->node->mode))
        return folder ? -ENOTDIR : -EISDIR;
    return folder && new->node->folder.names ? -ENOTEMPTY : 0;
}

int fs_rename(struct fs *fs, struct fs_node *from_old, const char *old_path, struct fs_node *from_new,
              const char *new_path)
{
    struct place old, new;
    int error = walk(fs, from_old, old_path, KEEP, &old);
    if (!error)
        error = walk(fs, from_new, new_path, KEEP, &new);
    if (!error)
        error = may_rename(fs, &old, &new);
    if (error || old.node == new.node)
        return error;
    if (!new.node)
        error = folder_add(fs, new.folder, new.text, new.n, new.hash, old.node);
    else
        folder_change(fs, new.folder, new.name, old.node);
    if (error)
        return error;
    folder_remove(fs, old.folder, old.name);
    node_touch(fs, old.node, false);
    if (new.node && S_ISDIR(new.node->mode))
        end_folder(fs, new.node);
    else if (new.node)
        node_unlink(fs, new.node);
    return 0;
}
