/* SPDX-License-Identifier: MIT */
/*
 * files.c - POSIX files, read only: open(), read(), lseek(), fstat(), stat(), access(), close(); stdio's fopen() uses
 * them. Calls that could change a file fail with EROFS. Numbers 0 to 2 are the console (console.c).
 *
 * One lock guards the table of open files and their positions, so two threads that read one file get different bytes.
 */
#include "files.h"

#include <amalgam/calls.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock.h"
#include "thread.h"

#define FIRST        3    /* the lowest number of a file; lower ones are the console */
#define LARGEST      4096 /* bytes that one call of console_write takes */
#define MAY_READ     0444
#define MAY_TRAVERSE 0555

static struct file {
    bool used;
    struct cpio_entry entry;
    off_t position;
} files[MOST_OPEN];
static uint32_t lock;

static int fail(int error)
{
    errno = error;
    return -1;
}

/* Write `path` in the form of names in the archive. Returns its length, or -ENAMETOOLONG. */
static int plain_name(const char *path, char name[MOST_NAME])
{
    size_t n = 0;
    while (*path) {
        size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (n && name[--n] != '/')
                ;
        } else if (part && !(part == 1 && *path == '.')) {
            if (part + 1 > MOST_NAME - n)
                return -ENAMETOOLONG;
            if (n)
                name[n++] = '/';
            memcpy(name + n, path, part);
            n += part;
        }
        path += part + (path[part] == '/');
    }
    return (int)n;
}

int files_find(const char *path, struct cpio_entry *entry)
{
    char name[MOST_NAME];
    int n = *path ? plain_name(path, name) : -ENOENT;
    if (n < 0)
        return n;
    if (cpio_find(&program_files, name, (size_t)n, entry))
        return 0;
    *entry = (struct cpio_entry){ .name = "", .mode = S_IFDIR, .links = 1 };
    return n ? -ENOENT : 0;
}

char *realpath(const char *restrict path, char *restrict to)
{
    struct cpio_entry entry;
    char name[MOST_NAME + 1] = "/";
    int error = path ? files_find(path, &entry) : -EINVAL;
    if (error) {
        errno = -error;
        return NULL;
    }
    size_t n = (size_t)plain_name(path, name + 1) + 1;
    name[n] = '\0';
    return to ? strcpy(to, name) : strdup(name);
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

int open(const char *path, int flags, ...)
{
    struct cpio_entry entry;
    int error = files_find(path, &entry);
    if (error)
        return fail(error == -ENOENT && flags & O_CREAT ? EROFS : -error);
    if (flags & O_CREAT && flags & O_EXCL)
        return fail(EEXIST);
    if (files_is_folder(&entry) && (flags & O_ACCMODE) != O_RDONLY)
        return fail(EISDIR);
    if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)
        return fail(EROFS);
    if (!files_is_folder(&entry) && flags & O_DIRECTORY)
        return fail(ENOTDIR);
    if (!files_is_folder(&entry) && !S_ISREG(entry.mode)) /* a link, device or pipe, which cannot be opened */
        return fail(S_ISLNK(entry.mode) ? ELOOP : ENXIO);
    lock_take(&lock);
    int n = 0;
    while (n < MOST_OPEN && files[n].used)
        n++;
    if (n < MOST_OPEN)
        files[n] = (struct file){ .used = true, .entry = entry };
    lock_drop(&lock);
    return n < MOST_OPEN ? FIRST + n : fail(EMFILE);
}

/* Returns the open file with the lock taken, or NULL with errno and the lock free. */
static struct file *take(int number)
{
    lock_take(&lock);
    if (number >= FIRST && number < FIRST + MOST_OPEN && files[number - FIRST].used)
        return &files[number - FIRST];
    lock_drop(&lock);
    errno = EBADF;
    return NULL;
}

int close(int number)
{
    if (number >= 0 && number < FIRST)
        return 0;
    struct file *f = take(number);
    if (!f)
        return -1;
    f->used = false;
    lock_drop(&lock);
    return 0;
}

/* Read from `at`, which is not negative. The lock is held. */
static ssize_t read_at(const struct file *f, off_t at, void *to, size_t n)
{
    if (files_is_folder(&f->entry))
        return fail(EISDIR);
    size_t left = (uint64_t)at < f->entry.size ? f->entry.size - (size_t)at : 0;
    n = n < left ? n : left;
    if (n)
        memcpy(to, f->entry.data + at, n);
    return (ssize_t)n;
}

ssize_t read(int number, void *to, size_t n)
{
    if (number == STDIN_FILENO)
        return 0;
    struct file *f = take(number);
    if (!f)
        return -1;
    ssize_t got = read_at(f, f->position, to, n);
    if (got > 0)
        f->position += got;
    lock_drop(&lock);
    return got;
}

ssize_t pread(int number, void *to, size_t n, off_t at)
{
    if (number >= 0 && number < FIRST)
        return fail(ESPIPE);
    struct file *f = take(number);
    if (!f)
        return -1;
    ssize_t got = at < 0 ? fail(EINVAL) : read_at(f, at, to, n);
    lock_drop(&lock);
    return got;
}

/* No file is open for writing. */
ssize_t pwrite(int number, const void *from, size_t n, off_t at)
{
    (void)from;
    (void)n;
    (void)at;
    return fail(number >= 0 && number < FIRST ? ESPIPE : EBADF);
}

ssize_t write(int number, const void *from, size_t n)
{
    if (number != STDOUT_FILENO && number != STDERR_FILENO)
        return fail(EBADF);
    console_flush();
    int64_t taken;
    while ((taken = amalgam_console_write(from, n < LARGEST ? n : LARGEST)) == 0 && n)
        amalgam_yield();
    return taken < 0 ? fail(EFAULT) : (ssize_t)taken;
}

off_t lseek(int number, off_t offset, int whence)
{
    if (number >= 0 && number < FIRST)
        return fail(ESPIPE);
    struct file *f = take(number);
    if (!f)
        return -1;
    off_t from = whence == SEEK_CUR ? f->position : whence == SEEK_END ? (off_t)f->entry.size : 0, to;
    bool wrong = (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) ||
                 __builtin_add_overflow(from, offset, &to) || to < 0;
    if (!wrong)
        f->position = to;
    lock_drop(&lock);
    return wrong ? fail(EINVAL) : to;
}

static void describe(const struct cpio_entry *e, struct stat *s)
{
    *s = (struct stat){ .st_ino = (ino_t)e->inode, .st_nlink = (nlink_t)e->links, .st_size = (off_t)e->size };
    s->st_mode = (e->mode & S_IFMT) | (files_is_folder(e) ? MAY_TRAVERSE : MAY_READ | (e->mode & 0111));
    s->st_mtim.tv_sec = s->st_atim.tv_sec = s->st_ctim.tv_sec = (time_t)e->mtime;
    s->st_blksize = LARGEST;
    s->st_blocks = (blkcnt_t)(e->size / 512 + (e->size % 512 != 0));
}

int stat(const char *path, struct stat *s)
{
    struct cpio_entry entry;
    int error = files_find(path, &entry);
    if (error)
        return fail(-error);
    describe(&entry, s);
    return 0;
}

int lstat(const char *path, struct stat *s) { return stat(path, s); }

int fstat(int number, struct stat *s)
{
    if (number >= 0 && number < FIRST) {
        *s = (struct stat){ .st_mode = S_IFCHR | 0666, .st_nlink = 1 };
        return 0;
    }
    struct file *f = take(number);
    if (!f)
        return -1;
    describe(&f->entry, s);
    lock_drop(&lock);
    return 0;
}

int access(const char *path, int how)
{
    struct stat s;
    if (stat(path, &s))
        return -1;
    if (how & W_OK)
        return fail(EROFS);
    return how & X_OK && !(s.st_mode & 0111) ? fail(EACCES) : 0;
}

int isatty(int number)
{
    if (number >= 0 && number < FIRST)
        return 1;
    if (!take(number))
        return 0;
    lock_drop(&lock);
    errno = ENOTTY;
    return 0;
}
