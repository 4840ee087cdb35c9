/* SPDX-License-Identifier: MIT */
/* folder.h - the working folder where it is in a server's tree: a path from that tree's root on. With the lock. */
#ifndef AMALGAM_P9_FOLDER_H
#define AMALGAM_P9_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* `path` is the server's, and a folder. Returns 0 or -ENAMETOOLONG. */
int p9_folder_set(const char *path);
/* Write the working folder's path in the process's own tree, of which `mount` is the server's root. Returns its length
 * or -ERANGE. */
int64_t p9_folder_path(const char *mount, char *to, size_t n);
/* Make a relative path one from the process's root on, without "." and "..". Returns 0 or -ENAMETOOLONG. */
int p9_folder_absolute(const char *mount, const char **path);

#endif
