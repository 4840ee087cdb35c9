/* SPDX-License-Identifier: MIT */
/* tree.c - nodes of a littlefs' files, and what is said of them: tree.h. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MODE 0644u /* of one without attributes */

int64_t disk_error(int64_t error)
{
    switch (error) {
    case LFS_ERR_IO:
    case LFS_ERR_CORRUPT: return -EIO;
    case LFS_ERR_NOENT: return -ENOENT;
    case LFS_ERR_EXIST: return -EEXIST;
    case LFS_ERR_NOTDIR: return -ENOTDIR;
    case LFS_ERR_ISDIR: return -EISDIR;
    case LFS_ERR_NOTEMPTY: return -ENOTEMPTY;
    case LFS_ERR_FBIG: return -EFBIG;
    case LFS_ERR_INVAL: return -EINVAL;
    case LFS_ERR_NOSPC: return -ENOSPC;
    case LFS_ERR_NOMEM: return -ENOMEM;
    case LFS_ERR_NAMETOOLONG: return -ENAMETOOLONG;
    default: return error < 0 ? -EIO : error;
    }
}

int disk_path(const struct disk_node *folder, const char *name, char path[PATH_MOST])
{
    size_t length = strlen(folder->path), more = strlen(name);
    if (folder->gone)
        return -ENOENT;
    memcpy(path, folder->path, length + 1);
    if (!strcmp(name, "."))
        return 0;
    if (!strcmp(name, "..")) {
        char *last = strrchr(path, '/');
        if (last)
            *last = '\0';
        return 0;
    }
    if (more > LFS_NAME_MAX || length + 1 + more >= PATH_MOST)
        return -ENAMETOOLONG;
    path[length] = '/';
    memcpy(path + length + 1, name, more + 1);
    return 0;
}

/* FNV-1a. littlefs has no numbers of files. */
uint32_t disk_number(const char *path)
{
    uint32_t hash = 2166136261u;
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * 16777619u;
    return hash;
}

/* Returns what somebody has found at a path, or NULL. */
static struct disk_node *known(const struct disk_tree *t, const char *path)
{
    struct disk_node *n = t->nodes;
    while (n && (n->gone || strcmp(n->path, path) != 0))
        n = n->next;
    return n;
}

static void put_time(struct disk_attributes *is, uint64_t mtime)
{
    is->mtime[0] = (uint32_t)mtime;
    is->mtime[1] = (uint32_t)(mtime >> 32);
}

void disk_touch(struct disk_node *n) { put_time(&n->is, n->tree->fs.now()); }

struct disk_node *disk_make(struct disk_tree *t, const char *path, bool folder, unsigned mode)
{
    struct disk_node *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->tree = t;
    n->held = 1;
    n->folder = folder;
    n->is.mode = (folder ? S_IFDIR : S_IFREG) | (mode & 07777);
    strcpy(n->path, path);
    n->next = t->nodes;
    t->nodes = n;
    return n;
}

int disk_find(struct disk_tree *t, const char *path, struct disk_node **node)
{
    struct lfs_info info;
    struct disk_node *n = known(t, path);
    if (n) {
        n->held++;
        *node = n;
        return 0;
    }
    disk_bound(t);
    int error = (int)disk_error(lfs_stat(t->lfs, disk_lfs_path(path), &info));
    if (error)
        return error;
    bool folder = info.type == LFS_TYPE_DIR;
    n = disk_make(t, path, folder, folder ? FOLDER_MODE : FILE_MODE);
    if (!n)
        return -ENOMEM;
    struct disk_attributes is;
    n->size = folder ? 0 : info.size;
    if (lfs_getattr(t->lfs, disk_lfs_path(path), ATTRIBUTES, &is, sizeof is) == (lfs_ssize_t)sizeof is) {
        n->is = is; /* what lies on the disk says no other kind */
        n->is.mode = (folder ? S_IFDIR : S_IFREG) | (is.mode & 07777);
    }
    *node = n;
    return 0;
}

/* --- of p9/tree.h ------------------------------------------------------------------------------------------------ */

static struct fs_node *hold(struct fs_node *node)
{
    disk_node(node)->held++;
    return node;
}

static void release(struct fs_node *node)
{
    struct disk_node *n = disk_node(node);
    if (!n || --n->held)
        return;
    struct disk_node **at = &n->tree->nodes;
    while (*at != n)
        at = &(*at)->next;
    *at = n->next;
    disk_read_no_more(n);
    disk_close(n); /* an error was said when the file was closed: nothing is open */
    free(n);
}

static bool is_folder(const struct fs_node *node) { return disk_node(node)->folder; }

static void describe(const struct fs_node *node, struct fs_stat *s)
{
    const struct disk_node *n = disk_node(node);
    uint64_t mtime = (uint64_t)n->is.mtime[1] << 32 | n->is.mtime[0];
    *s = (struct fs_stat){ .number = disk_number(n->path),
                           .mode = n->is.mode,
                           .links = !n->gone,
                           .size = n->size,
                           .blocks = ((uint64_t)n->size + 511) / 512,
                           .atime = mtime,
                           .mtime = mtime,
                           .ctime = mtime };
}

static int find(struct fs *fs, struct fs_node *from, const char *name, unsigned flags, struct fs_node **node)
{
    char path[PATH_MOST];
    struct disk_node *found;
    int error = disk_path(disk_node(from), name, path);
    (void)flags;
    if (!error)
        error = disk_find(disk_tree(fs), path, &found);
    if (!error)
        *node = (struct fs_node *)found;
    return error;
}

static int no_symlink(struct fs *fs, const char *target, struct fs_node *from, const char *name)
{
    (void)fs, (void)target, (void)from, (void)name;
    return -EPERM;
}

static int no_link(struct fs *fs, struct fs_node *node, struct fs_node *from, const char *name)
{
    (void)fs, (void)node, (void)from, (void)name;
    return -EPERM;
}

static int64_t read_no_link(const struct fs_node *node, char *to, size_t n)
{
    (void)node, (void)to, (void)n;
    return -EINVAL;
}

/* Give a node other attributes; after an error it has those that it had. */
static int set_attributes(struct disk_node *n, struct disk_attributes is)
{
    disk_bound(n->tree);
    int error = (int)disk_error(lfs_setattr(n->tree->lfs, disk_lfs_path(n->path), ATTRIBUTES, &is, sizeof is));
    if (!error)
        n->is = is;
    return error;
}

static int set_mode(struct fs *fs, struct fs_node *node, unsigned mode)
{
    struct disk_node *n = disk_node(node);
    (void)fs;
    if (n->gone)
        return -ENOENT;
    struct disk_attributes is = n->is;
    is.mode = (is.mode & S_IFMT) | (mode & 07777);
    return set_attributes(n, is);
}

/* Of both times there is one. */
static int set_times(struct fs *fs, struct fs_node *node, uint64_t atime, uint64_t mtime)
{
    struct disk_node *n = disk_node(node);
    (void)atime;
    if (n->gone)
        return -ENOENT;
    if (mtime == FS_OMIT)
        return 0;
    struct disk_attributes is = n->is;
    put_time(&is, mtime == FS_NOW ? fs->now() : mtime);
    return set_attributes(n, is);
}

int disk_tree_begin(struct disk_tree *t, lfs_t *lfs, uint64_t (*now)(void))
{
    struct disk_node *root;
    *t = (struct disk_tree){ .fs = { .now = now }, .lfs = lfs };
    int error = disk_find(t, "", &root);
    t->fs.root = error ? NULL : (struct fs_node *)root;
    return error;
}

void disk_tree_end(struct disk_tree *t) { release(t->fs.root); }

const struct p9_tree disk_tree_calls = {
    .hold = hold,
    .release = release,
    .is_folder = is_folder,
    .describe = describe,
    .find = find,
    .open = disk_open_file,
    .make_folder = disk_make_folder,
    .make_symlink = no_symlink,
    .link_node = no_link,
    .unlink = disk_unlink,
    .remove_folder = disk_remove_folder,
    .rename = disk_rename,
    .set_mode = set_mode,
    .set_times = set_times,
    .read_link = read_no_link,
    .read = disk_read_file,
    .write = disk_write_file,
    .truncate = disk_truncate,
    .next = disk_next,
    .begin = disk_begin,
    .end = disk_end,
    .sync = disk_sync,
};
