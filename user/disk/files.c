/* SPDX-License-Identifier: MIT */
/* files.c - what is in the files of a littlefs: tree.h. */
#include <errno.h>
#include <stdlib.h>

#include "tree.h"

/* --- the record of an open file ---------------------------------------------------------------------------------- */

static int open_record(struct disk_node *n, int flags)
{
    struct disk_open *o = calloc(1, sizeof *o);
    disk_bound(n->tree);
    if (!o)
        return -ENOMEM;
    struct disk_attributes is = n->is; /* littlefs reads those on the disk into their place */
    o->attribute = (struct lfs_attr){ .type = ATTRIBUTES, .buffer = &n->is, .size = sizeof n->is };
    o->config = (struct lfs_file_config){ .attrs = &o->attribute, .attr_count = 1 };
    int error = (int)disk_error(lfs_file_opencfg(n->tree->lfs, &o->file, n->path, flags, &o->config));
    n->is = is;
    if (error) {
        free(o);
        return error;
    }
    n->open = o;
    n->writes = (flags & LFS_O_WRONLY) != 0;
    return 0;
}

/* What was not written is not there: the size is what the disk says. */
static void take_size(struct disk_node *n)
{
    struct lfs_info info;
    if (!n->gone && !lfs_stat(n->tree->lfs, n->path, &info))
        n->size = info.size;
}

int disk_close(struct disk_node *n)
{
    disk_bound(n->tree);
    bool failed = n->open && n->open->file.flags & LFS_F_ERRED; /* before: it is closed without a write */
    int error = n->open ? (int)disk_error(lfs_file_close(n->tree->lfs, &n->open->file)) : 0;
    free(n->open);
    n->open = NULL;
    n->writes = false;
    if (error || failed)
        take_size(n);
    return error;
}

static int need(struct disk_node *n, bool writes)
{
    if (n->folder)
        return -EISDIR;
    if (n->gone)
        return -ENOENT;
    disk_bound(n->tree);
    if (n->open && (n->writes || !writes))
        return 0;
    int error = disk_close(n);
    return error ? error : open_record(n, writes ? LFS_O_RDWR : LFS_O_RDONLY);
}

/* A change has failed: the file is what it was when it was closed or synchronized last. */
static int64_t give_up(struct disk_node *n, int64_t error)
{
    if (n->open)
        n->open->file.flags |= LFS_F_ERRED;
    disk_close(n);
    return disk_error(error);
}

/* --- of p9/tree.h ------------------------------------------------------------------------------------------------ */

int disk_begin(struct fs *fs, struct fs_node *node)
{
    struct fs_account *client = fs->payer;
    if (client && client->used >= client->most)
        return -EMFILE;
    if (client)
        client->used++;
    disk_node(node)->opened++;
    return 0;
}

int disk_end(struct fs *fs, struct fs_node *node)
{
    struct disk_node *n = disk_node(node);
    if (fs->payer)
        fs->payer->used--;
    if (--n->opened)
        return 0;
    disk_read_no_more(n);
    return disk_close(n);
}

int disk_sync(struct fs *fs, struct fs_node *node)
{
    struct disk_node *n = disk_node(node);
    (void)fs;
    disk_bound(n->tree);
    int error = n->open ? lfs_file_sync(n->tree->lfs, &n->open->file) : 0;
    return error ? (int)give_up(n, error) : 0;
}

static int make(struct disk_tree *t, const char *path, unsigned mode, struct disk_node **node)
{
    struct disk_node *n = disk_make(t, path, false, mode);
    if (!n)
        return -ENOMEM;
    disk_touch(n);
    int error = open_record(n, LFS_O_RDWR | LFS_O_CREAT | LFS_O_EXCL);
    if (error) {
        n->gone = true;
        disk_tree_calls.release((struct fs_node *)n);
        return error;
    }
    *node = n;
    return 0;
}

int disk_open_file(struct fs *fs, struct fs_node *from, const char *name, unsigned flags, unsigned mode,
                   struct fs_node **node)
{
    char path[PATH_MOST];
    struct disk_node *n;
    int error = disk_path(disk_node(from), name, path);
    if (!error && fs->payer && fs->payer->used >= fs->payer->most)
        error = -EMFILE; /* before something is made */
    if (error)
        return error;
    error = disk_find(disk_tree(fs), path, &n);
    if (error == -ENOENT && flags & FS_CREATE) {
        error = make(disk_tree(fs), path, mode, &n);
    } else if (!error) {
        if (flags & FS_CREATE && flags & FS_EXCLUSIVE)
            error = -EEXIST;
        else if (n->folder && flags & (FS_WRITE | FS_TRUNCATE | FS_CREATE))
            error = -EISDIR;
        else if (flags & FS_TRUNCATE)
            error = disk_truncate(fs, (struct fs_node *)n, 0);
        if (error)
            disk_tree_calls.release((struct fs_node *)n);
    }
    if (!error)
        *node = (struct fs_node *)n;
    return error;
}

int64_t disk_read_file(struct fs *fs, struct fs_node *node, uint64_t at, void *to, size_t n)
{
    struct disk_node *f = disk_node(node);
    (void)fs;
    int64_t error = need(f, false);
    if (error || at >= f->size)
        return error;
    error = lfs_file_seek(f->tree->lfs, &f->open->file, (lfs_soff_t)at, LFS_SEEK_SET);
    return disk_error(error < 0 ? error : lfs_file_read(f->tree->lfs, &f->open->file, to, (lfs_size_t)n));
}

/* Returns whether a file may become so large: all that is behind its end is written as zeros at once. */
static bool may_grow(const struct disk_node *f, uint64_t at, size_t n)
{
    return at <= LFS_FILE_MAX && n <= LFS_FILE_MAX - at && (at <= f->size || at - f->size <= GAP_MOST);
}

int64_t disk_write_file(struct fs *fs, struct fs_node *node, uint64_t at, const void *from, size_t n)
{
    struct disk_node *f = disk_node(node);
    (void)fs;
    int64_t done = need(f, true);
    if (done || !n)
        return done;
    if (!may_grow(f, at, n))
        return -EFBIG;
    disk_touch(f);
    done = lfs_file_seek(f->tree->lfs, &f->open->file, (lfs_soff_t)at, LFS_SEEK_SET);
    if (done >= 0)
        done = lfs_file_write(f->tree->lfs, &f->open->file, from, (lfs_size_t)n);
    if (done < 0)
        return give_up(f, done);
    if (at + (uint64_t)done > f->size)
        f->size = (uint32_t)(at + (uint64_t)done);
    return done;
}

int disk_truncate(struct fs *fs, struct fs_node *node, uint64_t size)
{
    struct disk_node *f = disk_node(node);
    (void)fs;
    int error = need(f, true);
    if (error)
        return error;
    if (!may_grow(f, size, 0))
        return -EFBIG;
    disk_touch(f);
    error = lfs_file_truncate(f->tree->lfs, &f->open->file, (lfs_off_t)size);
    if (error)
        return (int)give_up(f, error);
    f->size = (uint32_t)size;
    return f->opened ? 0 : disk_close(f);
}
