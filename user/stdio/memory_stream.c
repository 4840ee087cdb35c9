/* SPDX-License-Identifier: MIT */
/*
 * memory_stream.c - fmemopen() and open_memstream(): streams on memory.
 *
 * A stream of fmemopen() reads and writes up to `length` bytes within `most`; writing sets a null byte behind them
 * where it has room. One of open_memstream() allocates as it grows, and tells the caller where the bytes are at each
 * fflush() and at fclose(), which leaves the memory to the caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define FIRST_BYTES 128

struct memory {
    struct stream stream;
    char *bytes;
    size_t at, length, most;
    bool appends;
    bool own;    /* fclose() frees `bytes` */
    char **text; /* open_memstream()'s, or NULL */
    size_t *size;
    char buffer[BUFSIZ];
};

static struct memory *memory_of(struct stream *s) { return (struct memory *)s; }

static ssize_t read_memory(struct stream *s, char *to, size_t n)
{
    struct memory *m = memory_of(s);
    size_t left = m->at < m->length ? m->length - m->at : 0;
    n = n < left ? n : left;
    memcpy(to, m->bytes + m->at, n);
    m->at += n;
    return (ssize_t)n;
}

/* Have room for `n` bytes and a null byte. Returns whether there is. */
static bool grow(struct memory *m, size_t n)
{
    if (n < m->most)
        return true;
    size_t larger = n < PTRDIFF_MAX / 2 ? (n + 1) * 2 : 0;
    char *made = larger ? realloc(m->bytes, larger) : NULL;
    if (!made) {
        errno = ENOMEM;
        return false;
    }
    memset(made + m->most, 0, larger - m->most);
    m->bytes = made;
    m->most = larger;
    return true;
}

static void tell(struct memory *m)
{
    *m->text = m->bytes;
    *m->size = m->at < m->length ? m->at : m->length;
}

static ssize_t write_memory(struct stream *s, const char *from, size_t n)
{
    struct memory *m = memory_of(s);
    if (m->appends)
        m->at = m->length;
    if (m->text) {
        if (n > SIZE_MAX - m->at || !grow(m, m->at + n))
            return -1;
    } else if (n > m->most - m->at) {
        n = m->most - m->at;
        if (!n) {
            errno = ENOSPC;
            return -1;
        }
    }
    memcpy(m->bytes + m->at, from, n);
    m->at += n;
    if (m->at > m->length) {
        m->length = m->at;
        if (m->length < m->most)
            m->bytes[m->length] = '\0';
    }
    if (m->text)
        tell(m);
    return (ssize_t)n;
}

static off_t seek_memory(struct stream *s, off_t offset, int whence)
{
    struct memory *m = memory_of(s);
    off_t to, from = whence == SEEK_CUR ? (off_t)m->at : whence == SEEK_END ? (off_t)m->length : 0;
    bool wrong = (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) ||
                 __builtin_add_overflow(from, offset, &to) || to < 0 || (!m->text && (uint64_t)to > m->most);
    if (wrong) {
        errno = EINVAL;
        return -1;
    }
    m->at = (size_t)to;
    if (m->text && (offset || whence != SEEK_CUR))
        tell(m);
    return to;
}

static int close_memory(struct stream *s)
{
    struct memory *m = memory_of(s);
    if (m->own)
        free(m->bytes);
    return 0;
}

static const struct stream_device device = { read_memory, write_memory, seek_memory, close_memory };

static FILE *begin(struct memory *m, uint8_t flags)
{
    stream_make(&m->stream, &device, -1, flags, m->buffer, sizeof m->buffer);
    stream_add(&m->stream);
    return &m->stream.file;
}

FILE *fmemopen(void *restrict bytes, size_t size, const char *restrict mode)
{
    int open_flags;
    uint8_t flags = stream_mode(mode, &open_flags);
    struct memory *m = flags ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->own = !bytes;
    m->bytes = bytes ? bytes : calloc(1, size ? size : 1);
    if (!m->bytes) {
        free(m);
        return NULL;
    }
    m->most = size;
    m->appends = open_flags & O_APPEND;
    if (open_flags & O_TRUNC && size)
        m->bytes[0] = '\0';
    m->length = *mode == 'r' ? size : strnlen(m->bytes, size);
    m->at = m->appends ? m->length : 0;
    return begin(m, flags);
}

FILE *open_memstream(char **text, size_t *size)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->bytes = calloc(1, FIRST_BYTES);
    if (!m->bytes) {
        free(m);
        return NULL;
    }
    m->most = FIRST_BYTES;
    m->text = text;
    m->size = size;
    tell(m);
    return begin(m, __SWR);
}
