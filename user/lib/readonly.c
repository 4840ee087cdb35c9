/* SPDX-License-Identifier: MIT */
/*
 * readonly.c - the POSIX calls that would change a folder: unlink(), rename(), mkdir(), rmdir(). Nothing changes the
 * files of a process, so each is EROFS, but for a path that is not there (ENOENT) or is there already (EEXIST). A
 * foreign program that has them in its source (an interpreter's standard library) links and is told.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* access() never grants writing: it is ENOENT or EROFS. */
int unlink(const char *path) { return access(path, W_OK); }
int rmdir(const char *path) { return access(path, W_OK); }
int rename(const char *from, const char *to)
{
    (void)to;
    return access(from, W_OK);
}

int mkdir(const char *path, mode_t mode)
{
    struct stat s;
    (void)mode;
    errno = stat(path, &s) ? EROFS : EEXIST;
    return -1;
}
