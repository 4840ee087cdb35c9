/* SPDX-License-Identifier: MIT */
/* files.c - the process's tree of files: what it begins with, its working folder, open() and close(). */
#include <amalgam/calls.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cancel.h"
#include "clock.h"
#include "files.h"
#include "stat.h"

static struct fs fs;
static struct fs_node *here; /* the working folder, held */
static uint64_t epoch;       /* when amalgam_clock() was 0 */

const struct mount_calls *files_mount;
mode_t files_umask = 022;

static uint64_t now(void) { return amalgam_clock() + epoch; }

struct fs *files_tree(void)
{
    if (!fs.root) {
        epoch = clock_epoch();
        if (fs_begin(&fs, &program_files, now))
            return NULL;
        if (devices_make(&fs)) {
            fs_end(&fs);
            return NULL;
        }
        here = fs_hold(fs.root);
    }
    return &fs;
}

int files_from(int folder, const char **path, struct fs_node **from)
{
    if (!files_tree())
        return -ENOMEM;
    *from = here;
    if (folder == AT_FDCWD && here == fs.mount && **path && **path != '/')
        return files_mount->absolute(path);
    if (folder == AT_FDCWD || **path == '/')
        return 0;
    const struct open_file *f = files_of(folder);
    if (!f)
        return -EBADF;
    if (!f->node || !fs_is_folder(f->node))
        return -ENOTDIR;
    *from = f->node;
    return 0;
}

int files_find(int folder, const char *path, bool follows, struct fs_node **node)
{
    struct fs_node *from;
    if (path) {
        int error = files_from(folder, &path, &from);
        return error ? error : fs_find(&fs, from, path, follows ? FS_FOLLOW : 0, node);
    }
    const struct open_file *f = files_of(folder);
    if (!f || !f->node)
        return f ? -EINVAL : -EBADF;
    *node = fs_hold(f->node);
    return 0;
}

/* --- files that are open ----------------------------------------------------------------------------------------- */

static int64_t node_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    return fs_read(&fs, f->node, at, to, n);
}

static int64_t node_write(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    struct fs_stat s;
    if (f->flags & O_APPEND) {
        fs_describe(f->node, &s);
        *at = s.size;
    }
    int64_t done = fs_write(&fs, f->node, *at, from, n);
    *at += done > 0 ? (uint64_t)done : 0;
    return done;
}

static int node_truncate(struct open_file *f, uint64_t size) { return fs_truncate(&fs, f->node, size); }

void files_describe(const struct fs_node *node, struct stat *s)
{
    struct fs_stat of;
    fs_describe(node, &of);
    stat_put(s, &of, 1);
}

int files_describe_node(const struct open_file *f, struct stat *s)
{
    files_describe(f->node, s);
    return 0;
}

void files_end_node(struct open_file *f) { fs_release(f->node); }

static const struct file_kind node_kind = { .seekable = true,
                                            .read = node_read,
                                            .write = node_write,
                                            .truncate = node_truncate,
                                            .describe = files_describe_node,
                                            .end = files_end_node };

/* With the lock. The number comes first, so that nothing is made if there is none. */
static int open_node(struct open_file *f, int folder, const char *path, int flags, mode_t mode)
{
    struct fs_node *from;
    int access = flags & O_ACCMODE, error = files_from(folder, &path, &from);
    unsigned how = (flags & O_NOFOLLOW ? 0u : FS_FOLLOW) | (flags & O_CREAT ? FS_CREATE : 0u) |
                   (flags & O_EXCL ? FS_EXCLUSIVE : 0u) | (access == O_RDONLY ? 0u : FS_WRITE) |
                   (flags & O_TRUNC ? FS_TRUNCATE : 0u) | (flags & O_DIRECTORY ? FS_FOLDER : 0u);
    if (!error)
        error = fs_open(&fs, from, path, how, mode & ~files_umask, &f->node);
    if (error == -EXDEV)
        return files_mount->open(f, fs.rest, flags, mode & ~files_umask);
    uint32_t device = error ? 0 : fs_device(f->node);
    if (device && !(f->kind = device_kind(device))) {
        fs_release(f->node);
        error = -ENXIO;
    }
    return error;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    cancel_test();
    files_enter();
    struct open_file *f = files_make();
    int number = -ENOMEM, error = 0;
    if (f) {
        files_begin(f, &node_kind, NULL, flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
        number = files_number(f, 0);
        error = number < 0 ? number : open_node(f, folder, path, flags, mode);
        if (error && number >= 0)
            files_forget(number);
        if (error)
            files_unmake(f);
    }
    files_leave();
    return error ? error : number;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    return (int)files_result(open_at(folder, path, flags, mode));
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
    va_end(more);
    return (int)files_result(open_at(AT_FDCWD, path, flags, mode));
}

int creat(const char *path, mode_t mode) { return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

/* --- the working folder ------------------------------------------------------------------------------------------ */

/* With the lock. */
static int go(struct fs_node *folder)
{
    if (!fs_is_folder(folder))
        return -ENOTDIR;
    fs_hold(folder);
    fs_release(here);
    here = folder;
    return 0;
}

int chdir(const char *path)
{
    struct fs_node *folder;
    files_enter();
    int error = files_find(AT_FDCWD, path, true, &folder);
    if (!error) {
        error = go(folder);
        fs_release(folder);
    } else if (error == -EXDEV) {
        error = files_mount->go(fs.rest);
        if (!error)
            error = go(fs.mount);
    }
    files_leave();
    return (int)files_result(error);
}

int fchdir(int number)
{
    struct fs_node *from;
    files_enter();
    const char *path = "";
    int error = files_from(number == AT_FDCWD ? -1 : number, &path, &from);
    if (!error)
        error = go(from);
    files_leave();
    return (int)files_result(error);
}

char *getcwd(char *to, size_t n)
{
    char path[FS_PATH_MAX];
    files_enter();
    int64_t length = !to || n ? -ENOMEM : -EINVAL;
    if (length != -EINVAL && files_tree())
        length = here == fs.mount ? files_mount->here(path, sizeof path) : fs_path(&fs, here, path, sizeof path);
    files_leave();
    if (length >= 0 && to && (size_t)length >= n)
        length = -ERANGE;
    if (files_result(length) < 0)
        return NULL;
    return to ? strcpy(to, path) : strdup(path);
}
