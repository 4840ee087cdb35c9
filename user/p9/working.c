/* SPDX-License-Identifier: MIT */
/* working.c - the working folder in a server's tree: folder.h. No link is followed there, so ".." is the name before.
 */
#include <errno.h>
#include <string.h>

#include "../files/fs.h"
#include "folder.h"

static char here[FS_PATH_MAX]; /* "/NAME..." from the server's root on; "": that */

static size_t name_length(const char *name) { return strcspn(name, "/"); }

/* Append the names of a path to `to`, which has `n` bytes. Returns 0 or -ENAMETOOLONG. */
static int append(char *to, size_t n, const char *path)
{
    size_t used = strlen(to);
    for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
        size_t length = name_length(path);
        if (length == 2 && !strncmp(path, "..", 2)) {
            while (used && to[--used] != '/')
                ;
        } else if (length != 1 || *path != '.') {
            if (used + length + 2 > n)
                return -ENAMETOOLONG;
            to[used++] = '/';
            memcpy(to + used, path, length);
            used += length;
        }
        to[used] = '\0';
        path += length;
    }
    return 0;
}

int p9_folder_set(const char *path)
{
    char set[FS_PATH_MAX] = "";
    int error = append(set, sizeof set, path);
    if (!error)
        strcpy(here, set);
    return error;
}

/* Write the working folder's path, "" for the process's root. Returns false: it has no place, with a "/" behind. */
static bool put(const char *mount, char *to, size_t n)
{
    size_t length = strcmp(mount, "/") ? strlen(mount) : 0;
    if (length + strlen(here) + 2 > n)
        return false;
    memcpy(to, mount, length);
    strcpy(to + length, here);
    return true;
}

int64_t p9_folder_path(const char *mount, char *to, size_t n)
{
    if (!put(mount, to, n))
        return -ERANGE;
    if (!*to)
        strcpy(to, "/");
    return (int64_t)strlen(to);
}

int p9_folder_absolute(const char *mount, const char **path)
{
    static char made[2][FS_PATH_MAX]; /* rename() has two */
    static unsigned next;
    char *to = made[next++ % 2];
    bool slash = (*path)[strlen(*path) - 1] == '/';
    if (!put(mount, to, FS_PATH_MAX))
        return -ENAMETOOLONG;
    int error = append(to, FS_PATH_MAX - 1, *path);
    if (!error && (slash || !*to))
        strcat(to, "/");
    *path = to;
    return error;
}
