/* SPDX-License-Identifier: MIT */
/*
 * readonly.c - the POSIX calls that would change a directory: unlink(), rename(), mkdir(), rmdir(). A process's files
 * are read-only, so each fails with EROFS; or with ENOENT if the path does not exist, EEXIST if it does already. They
 * exist because programs such as interpreters name them and would not link.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* access() never grants writing: it fails with ENOENT or EROFS. */
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
