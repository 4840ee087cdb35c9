/* SPDX-License-Identifier: MIT */
/* paths.c - what is done with a name: stat(), mkdir(), rename() and their kind, also from an open folder (*at). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

int fstatat(int folder, const char *restrict path, struct stat *restrict s, int flags)
{
    struct fs_node *node;
    files_enter();
    int error = files_find(folder, path, !(flags & AT_SYMLINK_NOFOLLOW), &node);
    if (!error) {
        files_describe(node, s);
        fs_release(node);
    } else if (error == -EXDEV) {
        error = files_mount->describe(files_tree()->rest, s);
    }
    files_leave();
    return (int)files_result(error);
}

int stat(const char *restrict path, struct stat *restrict s) { return fstatat(AT_FDCWD, path, s, 0); }
int lstat(const char *restrict path, struct stat *restrict s)
{
    return fstatat(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);
}

/* The process is root: what is there may be read and written, and executed if anybody may. */
int faccessat(int folder, const char *path, int how, int flags)
{
    struct stat s;
    if (fstatat(folder, path, &s, flags & AT_SYMLINK_NOFOLLOW))
        return -1;
    return (int)files_result(how & X_OK && !(s.st_mode & 0111) ? -EACCES : 0);
}

int access(const char *path, int how) { return faccessat(AT_FDCWD, path, how, 0); }

int mkdirat(int folder, const char *path, mode_t mode)
{
    struct fs_node *from;
    files_enter();
    int error = files_from(folder, &path, &from);
    if (!error)
        error = fs_make_folder(files_tree(), from, path, mode & ~files_umask);
    if (error == -EXDEV)
        error = files_mount->make_folder(files_tree()->rest, mode & ~files_umask);
    files_leave();
    return (int)files_result(error);
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char *path, int flags)
{
    struct fs_node *from;
    files_enter();
    int error = files_from(folder, &path, &from);
    if (!error && flags & AT_REMOVEDIR)
        error = fs_remove_folder(files_tree(), from, path);
    else if (!error)
        error = fs_unlink(files_tree(), from, path);
    if (error == -EXDEV)
        error = files_mount->remove(files_tree()->rest, flags & AT_REMOVEDIR);
    files_leave();
    return (int)files_result(error);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path)
{
    int error = errno;
    if (!unlink(path))
        return 0;
    if (errno != EISDIR)
        return -1;
    errno = error;
    return rmdir(path);
}

/* Between two trees nothing moves. */
static int rename_mounted(struct fs_node *from, const char *old, struct fs_node *to, const char *new)
{
    const char *rest = fs_rest(files_tree(), from, old), *rest_new = fs_rest(files_tree(), to, new);
    return rest && rest_new ? files_mount->rename(rest, rest_new) : -EXDEV;
}

int renameat(int old_folder, const char *old, int new_folder, const char *new)
{
    struct fs_node *from, *to;
    files_enter();
    int error = files_from(old_folder, &old, &from);
    if (!error)
        error = files_from(new_folder, &new, &to);
    if (!error)
        error = fs_rename(files_tree(), from, old, to, new);
    if (error == -EXDEV)
        error = rename_mounted(from, old, to, new);
    files_leave();
    return (int)files_result(error);
}

int rename(const char *old, const char *new) { return renameat(AT_FDCWD, old, AT_FDCWD, new); }

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags)
{
    struct fs_node *from, *to;
    files_enter();
    int error = files_from(old_folder, &old, &from);
    if (!error)
        error = files_from(new_folder, &new, &to);
    if (!error)
        error = fs_link(files_tree(), from, old, flags & AT_SYMLINK_FOLLOW ? FS_FOLLOW : 0, to, new);
    files_leave();
    return (int)files_result(error);
}

int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int symlinkat(const char *target, int folder, const char *path)
{
    struct fs_node *from;
    files_enter();
    int error = files_from(folder, &path, &from);
    if (!error)
        error = fs_make_symlink(files_tree(), target, from, path);
    files_leave();
    return (int)files_result(error);
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

ssize_t readlinkat(int folder, const char *restrict path, char *restrict to, size_t n)
{
    struct fs_node *node;
    files_enter();
    int64_t length = n ? files_find(folder, path, false, &node) : -EINVAL;
    if (!length) {
        length = fs_read_link(node, to, n);
        fs_release(node);
    }
    files_leave();
    return (ssize_t)files_result(length);
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t n) { return readlinkat(AT_FDCWD, path, to, n); }

/* By its number, where no tree of ours has it. */
static int truncate_open(const char *path, off_t size)
{
    int number = open(path, O_WRONLY);
    if (number < 0)
        return -1;
    int result = ftruncate(number, size), error = errno;
    close(number);
    errno = error;
    return result;
}

int truncate(const char *path, off_t size)
{
    struct fs_node *node;
    files_enter();
    int error = size < 0 ? -EINVAL : files_find(AT_FDCWD, path, true, &node);
    if (!error) {
        error = fs_truncate(files_tree(), node, (uint64_t)size);
        fs_release(node);
    }
    files_leave();
    if (error == -EXDEV)
        return truncate_open(path, size);
    return (int)files_result(error);
}

/* A path without links, "." and "..", as long as the caller's memory, at most PATH_MAX with its end. */
char *realpath(const char *restrict given, char *restrict to)
{
    char real[FS_PATH_MAX];
    const char *path = given;
    struct fs_node *from;
    files_enter();
    int64_t length = path ? files_from(AT_FDCWD, &path, &from) : -EINVAL;
    if (!length)
        length = fs_real_path(files_tree(), from, path, real, sizeof real);
    files_leave();
    if (files_result(length) < 0)
        return NULL;
    return to ? strcpy(to, real) : strdup(real);
}
