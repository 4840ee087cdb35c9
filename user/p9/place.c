/* SPDX-License-Identifier: MIT */
/* place.c - see place.h. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>

#include "folder.h"

static char place[FS_PATH_MAX]; /* of the mount */

int place_mount(const char *path, const struct mount_calls *calls, int (*begin)(void *of), void *of)
{
    struct fs_node *node;
    files_enter();
    int error = files_mount ? -EBUSY : files_find(AT_FDCWD, path, true, &node);
    if (!error) {
        error = fs_is_folder(node) ? (int)fs_path(files_tree(), node, place, sizeof place) : -ENOTDIR;
        if (error > 0)
            error = begin(of);
        if (error) {
            fs_release(node);
        } else {
            files_tree()->mount = node;
            files_mount = calls;
        }
    }
    files_leave();
    return (int)files_result(error);
}

int place_go(const char *path)
{
    struct stat s;
    int error = files_mount->describe(path, &s);
    if (!error && !S_ISDIR(s.st_mode))
        error = -ENOTDIR;
    return error ? error : p9_folder_set(path);
}

int64_t place_here(char *to, size_t n) { return p9_folder_path(place, to, n); }
int place_absolute(const char **path) { return p9_folder_absolute(place, path); }
