/* SPDX-License-Identifier: MIT */
/* position.c - fseek(), ftell() and their kind. Only a buffered stream has a position; any other is ESPIPE. */
#include <errno.h>

#include "stream.h"

/* With the lock. */
static int seek(struct stream *s, off_t offset, int whence)
{
    if (s->state == STREAM_WRITES && stream_flush(&s->file))
        return -1;
    if (whence == SEEK_CUR && __builtin_sub_overflow(offset, stream_ahead(s), &offset)) {
        errno = EOVERFLOW;
        return -1;
    }
    if (s->device->seek(s, offset, whence) < 0)
        return -1;
    s->state = STREAM_IDLE;
    s->at = s->end = 0;
    s->file.unget = 0;
    s->file.flags &= (uint8_t)~__SEOF;
    return 0;
}

int fseeko(FILE *f, off_t offset, int whence)
{
    struct stream *s = stream_of(f);
    if (!s || !s->device) {
        errno = ESPIPE;
        return -1;
    }
    stream_lock(f);
    int result = seek(s, offset, whence);
    stream_unlock(f);
    return result;
}

off_t ftello(FILE *f)
{
    struct stream *s = stream_of(f);
    if (!s || !s->device) {
        errno = ESPIPE;
        return -1;
    }
    off_t at = -1;
    stream_lock(f);
    if (s->state != STREAM_WRITES || !stream_flush(f))
        at = s->device->seek(s, 0, SEEK_CUR);
    if (at >= 0)
        at -= stream_ahead(s);
    stream_unlock(f);
    return at;
}

int fseek(FILE *f, long offset, int whence) { return fseeko(f, offset, whence); }

long ftell(FILE *f)
{
    off_t at = ftello(f);
    if (at == (long)at)
        return (long)at;
    errno = EOVERFLOW;
    return -1;
}

void rewind(FILE *f)
{
    stream_lock(f);
    fseeko(f, 0, SEEK_SET);
    clearerr(f);
    stream_unlock(f);
}

int fgetpos(FILE *f, fpos_t *to)
{
    *to = ftello(f);
    return *to < 0 ? -1 : 0;
}

int fsetpos(FILE *f, const fpos_t *from) { return fseeko(f, (off_t)*from, SEEK_SET); }
