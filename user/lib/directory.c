/* SPDX-License-Identifier: MIT */
/*
 * directory.c - opendir(), readdir(), rewinddir(), closedir() on the process's files, and getcwd(). A directory holds
 * the entries of the archive whose names are one component longer than its own; it has no "." and "..".
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

struct amalgam_directory {
    struct cpio_entry self;
    size_t at;
    struct dirent entry;
};

DIR *opendir(const char *path)
{
    struct cpio_entry self;
    int error = files_find(path, &self);
    if (!error && !files_is_folder(&self))
        error = -ENOTDIR;
    DIR *d = error ? NULL : malloc(sizeof *d);
    if (d)
        *d = (DIR){ .self = self };
    else
        errno = error ? -error : ENOMEM;
    return d;
}

/* Returns the name of `e` in the directory, or NULL if it is not in it. */
static const char *name_in(const struct cpio_entry *folder, const struct cpio_entry *e, size_t *length)
{
    size_t skip = folder->name_length ? folder->name_length + 1 : 0;
    if (e->name_length <= skip || (skip && (memcmp(e->name, folder->name, skip - 1) || e->name[skip - 1] != '/')))
        return NULL;
    *length = e->name_length - skip;
    return memchr(e->name + skip, '/', *length) ? NULL : e->name + skip;
}

struct dirent *readdir(DIR *d)
{
    struct cpio_entry e;
    size_t n;
    while (cpio_next(&program_files, &d->at, &e)) {
        const char *name = name_in(&d->self, &e, &n);
        if (!name || n >= sizeof d->entry.d_name)
            continue;
        d->entry = (struct dirent){ .d_ino = (ino_t)e.inode, .d_type = (unsigned char)(e.mode >> 12 & 15) };
        memcpy(d->entry.d_name, name, n);
        return &d->entry;
    }
    return NULL;
}

void rewinddir(DIR *d) { d->at = 0; }

int closedir(DIR *d)
{
    free(d);
    return 0;
}

/* There is no chdir(): a relative path begins at the root. */
char *getcwd(char *to, size_t n)
{
    if (to && n < sizeof "/") {
        errno = n ? ERANGE : EINVAL;
        return NULL;
    }
    return to ? strcpy(to, "/") : strdup("/");
}
