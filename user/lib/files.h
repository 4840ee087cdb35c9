/* SPDX-License-Identifier: MIT */
/* files.h - the files of a process: an archive in its own memory, which the kernel says where it is (start.c). */
#ifndef AMALGAM_USER_FILES_H
#define AMALGAM_USER_FILES_H

#include <sys/stat.h>

#include "cpio.h"

#define MOST_NAME 1024 /* bytes of a path without ".", ".." and more slashes than it takes */

extern struct cpio program_files; /* size 0: the process was given none */

/* What stands behind a path, absolute or not: both count from the root. Returns 0, -ENOENT, -ENAMETOOLONG. The root is
 * a directory also where the archive does not say so. */
int files_find(const char *path, struct cpio_entry *entry);
static inline bool files_is_folder(const struct cpio_entry *e) { return S_ISDIR(e->mode); }

#endif
