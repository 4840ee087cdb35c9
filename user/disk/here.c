/* SPDX-License-Identifier: MIT */
/*
 * here.c - a littlefs in the process's own tree, without a server: amalgam/disk.h. All but amalgam_disk_mount_at() is
 * called with the lock of the process's files, as a server's calls are (serve.c), so both may be there.
 */
#include <amalgam/disk.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../lib/stat.h"
#include "../p9/place.h"
#include "tree.h"

static struct fs *fs; /* NULL: none is mounted */
static const struct p9_tree *const tree = &disk_tree_calls;

/* --- names ------------------------------------------------------------------------------------------------------- */

/* One name further. *at is another node then, which is held in place of the first. */
static int step(struct fs_node **at, const char *name)
{
    struct fs_node *next;
    int error = tree->is_folder(*at) ? tree->find(fs, *at, name, 0, &next) : -ENOTDIR;
    if (error)
        return error;
    tree->release(*at);
    *at = next;
    return 0;
}

/* Follow a path, but for its last name if `name` is not NULL: "." for the root. Returns 0 with *at held, or an error.
 */
static int walk(const char *path, char name[LFS_NAME_MAX + 1], struct fs_node **at)
{
    char own[LFS_NAME_MAX + 1];
    int error = 0;
    *at = tree->hold(fs->root);
    if (name)
        strcpy(name, ".");
    for (path += strspn(path, "/"); *path && !error;) {
        size_t length = strcspn(path, "/");
        const char *next = path + length + strspn(path + length, "/");
        char *to = name && !*next ? name : own;
        error = length > LFS_NAME_MAX ? -ENAMETOOLONG : 0;
        if (!error) {
            memcpy(to, path, length);
            to[length] = '\0';
            error = to == own ? step(at, own) : tree->is_folder(*at) ? 0 : -ENOTDIR;
        }
        path = next;
    }
    if (error)
        tree->release(*at);
    return error;
}

static bool is_name(const char *name) { return strcmp(name, ".") != 0 && strcmp(name, "..") != 0; }

static void put_stat(const struct fs_node *node, struct stat *s)
{
    struct fs_stat of;
    tree->describe(node, &of);
    stat_put(s, &of, 2);
}

/* --- files that are open ----------------------------------------------------------------------------------------- */

static int64_t here_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    return tree->is_folder(f->own) ? -EISDIR : tree->read(fs, f->own, at, to, n);
}

static int64_t here_write(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    struct fs_stat of;
    tree->describe(f->own, &of);
    if (f->flags & O_APPEND)
        *at = of.size;
    int64_t done = tree->write(fs, f->own, *at, from, n);
    *at += done > 0 ? (uint64_t)done : 0;
    return done;
}

static int here_truncate(struct open_file *f, uint64_t size) { return tree->truncate(fs, f->own, size); }
static int here_sync(struct open_file *f) { return tree->sync(fs, f->own); }

static int here_describe(const struct open_file *f, struct stat *s)
{
    put_stat(f->own, s);
    return 0;
}

static int here_next(struct open_file *f, struct fs_place *place, struct fs_entry *entry)
{
    return tree->is_folder(f->own) ? tree->next(fs, f->own, place, entry) : -ENOTDIR;
}

static void here_end(struct open_file *f)
{
    tree->end(fs, f->own); /* what close() could not write only fsync() says */
    tree->release(f->own);
}

static const struct file_kind here = { .seekable = true,
                                       .read = here_read,
                                       .write = here_write,
                                       .truncate = here_truncate,
                                       .describe = here_describe,
                                       .sync = here_sync,
                                       .next = here_next,
                                       .end = here_end };

/* --- paths ------------------------------------------------------------------------------------------------------- */

/* Who may not open it does not cut it. */
static int begin(struct fs_node *node, int flags)
{
    bool folder = tree->is_folder(node), cuts = flags & O_TRUNC;
    if (folder && (flags & O_ACCMODE || cuts))
        return -EISDIR;
    if (!folder && flags & O_DIRECTORY)
        return -ENOTDIR;
    int error = tree->begin(fs, node);
    if (!error && cuts && (error = tree->truncate(fs, node, 0)))
        tree->end(fs, node);
    return error;
}

static int open_path(struct open_file *f, const char *path, int flags, mode_t mode)
{
    char name[LFS_NAME_MAX + 1];
    struct fs_node *folder, *node;
    int error = walk(path, name, &folder);
    if (error)
        return error;
    unsigned how = flags & O_CREAT ? FS_CREATE | FS_WRITE | (flags & O_EXCL ? FS_EXCLUSIVE : 0u) : 0;
    error = how && is_name(name) ? tree->open(fs, folder, name, how, mode & 07777, &node)
                                 : tree->find(fs, folder, name, 0, &node);
    tree->release(folder);
    if (error)
        return error;
    error = begin(node, flags);
    if (error) {
        tree->release(node);
        return error;
    }
    f->own = node;
    f->kind = &here;
    return 0;
}

static int describe_path(const char *path, struct stat *s)
{
    struct fs_node *node;
    int error = walk(path, NULL, &node);
    if (!error) {
        put_stat(node, s);
        tree->release(node);
    }
    return error;
}

static int make_folder(const char *path, mode_t mode)
{
    char name[LFS_NAME_MAX + 1];
    struct fs_node *at;
    int error = walk(path, name, &at);
    if (error)
        return error;
    error = is_name(name) ? tree->make_folder(fs, at, name, mode & 07777) : -EEXIST;
    tree->release(at);
    return error;
}

static int remove_path(const char *path, bool folder)
{
    char name[LFS_NAME_MAX + 1];
    struct fs_node *at;
    int error = walk(path, name, &at);
    if (error)
        return error;
    error = !is_name(name) ? -EBUSY : folder ? tree->remove_folder(fs, at, name) : tree->unlink(fs, at, name);
    tree->release(at);
    return error;
}

static int rename_path(const char *old, const char *new)
{
    char name[LFS_NAME_MAX + 1], name_new[LFS_NAME_MAX + 1];
    struct fs_node *from, *to;
    int error = walk(old, name, &from);
    if (error)
        return error;
    error = walk(new, name_new, &to);
    if (!error) {
        error = is_name(name) && is_name(name_new) ? tree->rename(fs, from, name, to, name_new) : -EBUSY;
        tree->release(to);
    }
    tree->release(from);
    return error;
}

static const struct mount_calls calls = { open_path,   describe_path, make_folder, remove_path,
                                          rename_path, place_go,      place_here,  place_absolute };

static int begin_tree(void *of)
{
    fs = of;
    return 0;
}

int amalgam_disk_mount_at(struct amalgam_disk_tree *t, const char *path)
{
    return place_mount(path, &calls, begin_tree, &t->tree.fs);
}
