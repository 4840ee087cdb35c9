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

/* What is said of changing what `path` names. */
static int refuse(const char *path)
{
    if (access(path, F_OK))
        return -1;
    errno = EROFS;
    return -1;
}

int unlink(const char *path) { return refuse(path); }
int rmdir(const char *path) { return refuse(path); }
int rename(const char *from, const char *to)
{
    (void)to;
    return refuse(from);
}

int mkdir(const char *path, mode_t mode)
{
    struct stat s;
    (void)mode;
    errno = stat(path, &s) ? EROFS : EEXIST;
    return -1;
}
