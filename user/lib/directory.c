/* SPDX-License-Identifier: MIT */
/* directory.c - opendir(), readdir() and their kind, on an open file that is a folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

struct amalgam_directory {
    int number;
    struct fs_place place;
    struct dirent entry;
};

DIR *fdopendir(int number)
{
    struct stat s;
    if (fstat(number, &s))
        return NULL;
    if (!S_ISDIR(s.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *d = malloc(sizeof *d);
    if (d)
        *d = (DIR){ .number = number };
    return d;
}

DIR *opendir(const char *path)
{
    int number = open(path, O_RDONLY | O_DIRECTORY);
    DIR *d = number < 0 ? NULL : fdopendir(number);
    if (!d && number >= 0)
        close(number);
    return d;
}

/* A folder that has been removed is at its end. */
struct dirent *readdir(DIR *d)
{
    struct fs_entry e;
    files_enter();
    struct open_file *f = files_of(d->number);
    int more = !f              ? -EBADF
               : f->kind->next ? f->kind->next(f, &d->place, &e)
               : f->node       ? fs_next(files_tree(), f->node, &d->place, &e)
                               : -EBADF;
    files_leave();
    if (more < 0 && more != -ENOENT)
        errno = -more;
    if (more != 1)
        return NULL;
    d->entry = (struct dirent){ .d_ino = (ino_t)e.number, .d_type = (unsigned char)(e.mode >> 12 & 15) };
    strcpy(d->entry.d_name, e.name);
    return &d->entry;
}

void rewinddir(DIR *d) { d->place.number = 0; }
long telldir(DIR *d) { return (long)d->place.number; }
void seekdir(DIR *d, long place) { d->place.number = (uint64_t)place; }
int dirfd(DIR *d) { return d->number; }

int closedir(DIR *d)
{
    int number = d->number;
    free(d);
    return close(number);
}
