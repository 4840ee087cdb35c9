/* SPDX-License-Identifier: MIT */
/* files.h - the files of a process: an archive in its memory; the auxiliary vector has its address (start.c). */
#ifndef AMALGAM_USER_FILES_H
#define AMALGAM_USER_FILES_H

#include <sys/stat.h>

#include "cpio.h"

#define MOST_OPEN 16   /* files at once */
#define MOST_NAME 1024 /* bytes of a path without ".", ".." and superfluous slashes */

extern struct cpio program_files; /* size 0: the process has no files */

/* Find the entry of a path; absolute and relative ones both begin at the root. Returns 0, -ENOENT, -ENOTDIR or
 * -ENAMETOOLONG. The root is a directory even if the archive has no entry for it. */
int files_find(const char *path, struct cpio_entry *entry);
static inline bool files_is_folder(const struct cpio_entry *e) { return S_ISDIR(e->mode); }

#endif
