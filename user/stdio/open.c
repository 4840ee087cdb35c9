/* SPDX-License-Identifier: MIT */
/* open.c - fopen(), fdopen(), freopen(), fclose(): streams on files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

FILE *fdopen(int number, const char *mode)
{
    int unused;
    uint8_t flags = stream_mode(mode, &unused);
    struct stream *s = flags ? calloc(1, sizeof *s + BUFSIZ) : NULL;
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

/* With the lock. */
static int close_stream(struct stream *s)
{
    int result = s->device ? stream_stop(s) : s->file.flush ? s->file.flush(&s->file) : 0;
    if (s->device && s->device->close(s))
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

/* A stream keeps its address, so that freopen() turns stdin, stdout or stderr into a file's. */
FILE *freopen(const char *path, const char *mode, FILE *f)
{
    struct stream *s = stream_of(f);
    int open_flags, number = -1;
    uint8_t flags = stream_mode(mode, &open_flags);
    if (!s || !flags) {
        errno = s ? EINVAL : EBADF;
        return NULL;
    }
    stream_lock(f);
    close_stream(s);
    if (path)
        number = open(path, open_flags, 0666);
    else
        errno = EBADF; /* the mode of an open file cannot be changed */
    if (number >= 0)
        reopen(s, number, flags);
    stream_unlock(f);
    if (number < 0)
        stream_remove(s);
    return number < 0 ? NULL : f;
}
