/* SPDX-License-Identifier: MIT */
/* open.c - fopen(), fdopen(), freopen(), fclose(): streams on files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../lib/console.h"
#include "stream.h"

static ssize_t read_file(struct stream *s, char *to, size_t n) { return read(s->number, to, n); }
static ssize_t write_file(struct stream *s, const char *from, size_t n) { return write(s->number, from, n); }
static off_t seek_file(struct stream *s, off_t to, int whence) { return lseek(s->number, to, whence); }
static int close_file(struct stream *s) { return close(s->number); }

static const struct stream_device file_device = { read_file, write_file, seek_file, close_file };

uint8_t stream_mode(const char *mode, int *open_flags)
{
    uint8_t flags = *mode == 'r' ? __SRD : __SWR;
    int access = *mode == 'r' ? O_RDONLY : O_WRONLY;
    switch (*mode) {
    case 'r': *open_flags = 0; break;
    case 'w': *open_flags = O_CREAT | O_TRUNC; break;
    case 'a': *open_flags = O_CREAT | O_APPEND; break;
    default: errno = EINVAL; return 0;
    }
    while (*++mode)
        if (*mode == '+') {
            flags = __SRD | __SWR;
            access = O_RDWR;
        } else if (*mode == 'x') {
            *open_flags |= O_EXCL;
        }
    *open_flags |= access;
    return flags;
}

void stream_on_file(struct stream *s, int number, uint8_t flags, char *buffer, size_t size)
{
    int error = errno;
    stream_make(s, &file_device, number, flags, buffer, size);
    s->by_line = isatty(number);
    errno = error;
}

/* Returns whether the file may be used so, and, for "a", appends from now on. */
static bool suits(int number, int wanted)
{
    int has = fcntl(number, F_GETFL), access = has & O_ACCMODE;
    if (has < 0)
        return false;
    if (access != O_RDWR && access != (wanted & O_ACCMODE)) {
        errno = EINVAL;
        return false;
    }
    return !(wanted & O_APPEND) || fcntl(number, F_SETFL, has | O_APPEND) == 0;
}

FILE *fdopen(int number, const char *mode)
{
    int wanted;
    uint8_t flags = stream_mode(mode, &wanted);
    struct stream *s = flags && suits(number, wanted) ? calloc(1, sizeof *s + BUFSIZ) : NULL;
    if (!s)
        return NULL;
    stream_on_file(s, number, flags, (char *)(s + 1), BUFSIZ);
    stream_add(s);
    return &s->file;
}

FILE *fopen(const char *path, const char *mode)
{
    int open_flags;
    if (!stream_mode(mode, &open_flags))
        return NULL;
    int number = open(path, open_flags, 0666);
    FILE *f = number < 0 ? NULL : fdopen(number, mode);
    if (!f && number >= 0)
        close(number);
    return f;
}

/* With the lock: nothing is left in its buffer. */
static int empty(struct stream *s) { return s->device ? stream_stop(s) : s->file.flush ? s->file.flush(&s->file) : 0; }

/* With the lock. */
static int close_stream(struct stream *s)
{
    int result = empty(s);
    if (s->device ? s->device->close(s) : close(s->number))
        result = EOF;
    s->state = STREAM_IDLE;
    s->file.flags = STREAM;
    return result;
}

int fclose(FILE *f)
{
    struct stream *s = stream_of(f);
    if (!s)
        return f->flags & __SCLOSE ? ((struct __file_close *)f)->close(f) : fflush(f);
    stream_lock(f);
    int result = close_stream(s);
    s->lock.depth = 0; /* the caller may hold it by flockfile() */
    stream_unlock(f);
    stream_remove(s);
    return result;
}

/* Give `s`, which is closed, the file `number` and a buffer. A stream of the console has had none. */
static void reopen(struct stream *s, int number, uint8_t flags)
{
    bool listed = s->device != NULL;
    char *buffer = listed ? s->buffer : malloc(BUFSIZ);
    size_t size = listed ? s->size : BUFSIZ;
    if (!buffer) {
        buffer = &s->single;
        size = 1;
    }
    stream_on_file(s, number, flags, buffer, size);
    if (!listed)
        stream_add(s);
}

/* With the stream's lock. It goes on by lines, as on the console. */
void stream_leave_console(struct stream *s)
{
    console_flush();
    reopen(s, s->number, s->file.flags & (__SRD | __SWR));
    s->by_line = true;
}

/* Open a file with the number that the stream has, so that write(1, ...) and printf() go to one file after freopen() of
 * stdout. Returns the number, or -1. */
static int open_instead(const struct stream *s, const char *path, int flags)
{
    int number = open(path, flags, 0666);
    if (number < 0 || s->number < 0 || number == s->number)
        return number;
    dup2(number, s->number);
    close(number);
    return s->number;
}

/* A stream keeps its address, so that freopen() turns stdin, stdout or stderr into a file's. */
FILE *freopen(const char *path, const char *mode, FILE *f)
{
    struct stream *s = stream_of(f);
    int open_flags, number = -1, error = EBADF; /* of path NULL: the mode of an open file cannot be changed */
    uint8_t flags = stream_mode(mode, &open_flags);
    if (!s || !flags) {
        errno = s ? EINVAL : EBADF;
        return NULL;
    }
    stream_lock(f);
    if (s->number >= 0)
        empty(s);
    else
        close_stream(s);
    if (path && (number = open_instead(s, path, open_flags)) < 0)
        error = errno;
    if (number >= 0)
        reopen(s, number, flags);
    else if (s->number >= 0)
        close_stream(s);
    stream_unlock(f);
    if (number >= 0)
        return f;
    stream_remove(s);
    errno = error;
    return NULL;
}
