/* SPDX-License-Identifier: MIT */
/* place.h - where another tree is mounted in the process's own: amalgam/mount.h, amalgam/disk.h. */
#ifndef AMALGAM_P9_PLACE_H
#define AMALGAM_P9_PLACE_H

#include "../lib/files.h"

/* Make a folder of the process's own tree the root of the one that `calls` has, after begin(of), which is the last that
 * may fail and has the lock of the process's files. Without the lock. Returns 0, or -1 with errno: EBUSY: there is one;
 * ENOTDIR, ENOENT ...: that is no folder; the error of begin(). */
int place_mount(const char *path, const struct mount_calls *calls, int (*begin)(void *of), void *of);

/* Of all mounts' struct mount_calls. */
int place_go(const char *path);
int64_t place_here(char *to, size_t n);
int place_absolute(const char **path);

#endif
