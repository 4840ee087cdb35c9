/* SPDX-License-Identifier: MIT */
/*
 * files.c - POSIX files, read only: open(), read(), lseek(), fstat(), stat(), access(), close(); stdio's fopen() uses
 * them. Calls that could change a file fail with EROFS. Numbers 0 to 2 are the console (console.c).
 *
 * No lock: an open file's entry stays as it is and its position changes by one step, so two threads that read one file
 * get different bytes, and a signal's handler may open and read whatever it has interrupted.
 */
#include "files.h"

#include <amalgam/calls.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "thread.h"

#define FIRST        3    /* the lowest number of a file; lower ones are the console */
#define LARGEST      4096 /* bytes that one call of console_write takes */
#define MAY_READ     0444
#define MAY_TRAVERSE 0555

/* Of a file's `state`, which also counts how often its number was given. */
enum { FREE, BEGINS, OPEN, STATES = 4 };

static struct file {
    uint32_t state;
    struct cpio_entry entry;
    off_t position;
} files[MOST_OPEN];

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

/* Returns whether a path can name nothing but a folder: it ends with "/" or "/.". */
static bool names_folder(const char *path)
{
    size_t n = strlen(path);
    if (n >= 2 && path[n - 1] == '.' && path[n - 2] == '/')
        n--;
    return path[n - 1] == '/';
}

int files_find(const char *path, struct cpio_entry *entry)
{
    char name[MOST_NAME];
    int n = *path ? plain_name(path, name) : -ENOENT;
    if (n < 0)
        return n;
    if (cpio_find(&program_files, name, (size_t)n, entry))
        return names_folder(path) && !files_is_folder(entry) ? -ENOTDIR : 0;
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

static bool change(struct file *f, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&f->state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
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
    for (int n = 0; n < MOST_OPEN; n++) {
        uint32_t state = __atomic_load_n(&files[n].state, __ATOMIC_RELAXED);
        if (state % STATES != FREE || !change(&files[n], state, state + BEGINS))
            continue;
        files[n].entry = entry;
        files[n].position = 0;
        __atomic_store_n(&files[n].state, state + OPEN, __ATOMIC_RELEASE);
        return FIRST + n;
    }
    return fail(EMFILE);
}

/* Returns the open file and copies its entry; NULL, with errno: it is not open. */
static struct file *find(int number, struct cpio_entry *entry)
{
    struct file *f = number >= FIRST && number < FIRST + MOST_OPEN ? &files[number - FIRST] : NULL;
    uint32_t state = f ? __atomic_load_n(&f->state, __ATOMIC_ACQUIRE) : FREE;
    if (state % STATES == OPEN) {
        *entry = f->entry;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&f->state, __ATOMIC_RELAXED) == state) /* it was not closed meanwhile */
            return f;
    }
    errno = EBADF;
    return NULL;
}

int close(int number)
{
    struct cpio_entry entry;
    if (number >= 0 && number < FIRST)
        return 0;
    struct file *f = find(number, &entry);
    uint32_t state = f ? __atomic_load_n(&f->state, __ATOMIC_RELAXED) : FREE;
    if (!f)
        return -1;
    return state % STATES == OPEN && change(f, state, state - OPEN + STATES) ? 0 : fail(EBADF);
}

/* Returns how many of `n` bytes there are from `at` on, which is not negative. */
static size_t left(const struct cpio_entry *e, off_t at, size_t n)
{
    size_t more = (uint64_t)at < e->size ? e->size - (size_t)at : 0;
    return n < more ? n : more;
}

static ssize_t copy(const struct cpio_entry *e, off_t at, void *to, size_t n)
{
    if (n)
        memcpy(to, e->data + at, n);
    return (ssize_t)n;
}

ssize_t read(int number, void *to, size_t n)
{
    struct cpio_entry entry;
    if (number == STDIN_FILENO)
        return 0;
    struct file *f = find(number, &entry);
    if (!f)
        return -1;
    if (files_is_folder(&entry))
        return fail(EISDIR);
    off_t at = __atomic_load_n(&f->position, __ATOMIC_RELAXED);
    size_t got;
    do
        got = left(&entry, at, n);
    while (!__atomic_compare_exchange_n(&f->position, &at, at + (off_t)got, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return copy(&entry, at, to, got);
}

ssize_t pread(int number, void *to, size_t n, off_t at)
{
    struct cpio_entry entry;
    if (number >= 0 && number < FIRST)
        return fail(ESPIPE);
    if (!find(number, &entry))
        return -1;
    if (at < 0 || files_is_folder(&entry))
        return fail(at < 0 ? EINVAL : EISDIR);
    return copy(&entry, at, to, left(&entry, at, n));
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
    struct cpio_entry entry;
    struct file *f = find(number, &entry);
    if (!f)
        return -1;
    off_t at = __atomic_load_n(&f->position, __ATOMIC_RELAXED), to;
    do {
        off_t from = whence == SEEK_CUR ? at : whence == SEEK_END ? (off_t)entry.size : 0;
        if ((whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) ||
            __builtin_add_overflow(from, offset, &to) || to < 0)
            return fail(EINVAL);
    } while (!__atomic_compare_exchange_n(&f->position, &at, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return to;
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
    struct cpio_entry entry;
    if (!find(number, &entry))
        return -1;
    describe(&entry, s);
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
    struct cpio_entry entry;
    if (!find(number, &entry))
        return 0;
    errno = ENOTTY;
    return 0;
}
