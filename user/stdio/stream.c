/* SPDX-License-Identifier: MIT */
/*
 * stream.c - the buffer of a stream. It holds bytes that were read ahead, or bytes that are to be written, never both:
 * whoever changes the direction empties it first.
 *
 * A read that fails is an error (ferror()), not the end of the file. Bytes that cannot be written are lost, and the
 * call that tried it fails.
 */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

static int write_out(struct stream *s)
{
    for (size_t done = 0; done < s->at;) {
        ssize_t n = s->device->write(s, s->buffer + done, s->at - done);
        if (n <= 0) {
            if (n == 0)
                errno = EIO;
            s->at = 0;
            s->file.flags |= __SERR;
            return EOF;
        }
        done += (size_t)n;
    }
    s->at = 0;
    return 0;
}

off_t stream_ahead(const struct stream *s)
{
    return s->state == STREAM_READS ? (off_t)(s->end - s->at) + (s->file.unget != 0) : 0;
}

/* Set the file's position back to what the program has read. A file that has no position keeps its bytes here. */
static void give_back(struct stream *s)
{
    int error = errno;
    off_t ahead = stream_ahead(s);
    if (!ahead || s->device->seek(s, -ahead, SEEK_CUR) >= 0) {
        s->at = s->end = 0;
        s->file.unget = 0;
    }
    errno = error;
}

int stream_flush(FILE *f)
{
    struct stream *s = (struct stream *)f;
    if (s->state == STREAM_WRITES)
        return write_out(s);
    if (s->state == STREAM_READS)
        give_back(s);
    return 0;
}

int stream_stop(struct stream *s)
{
    int result = stream_flush(&s->file);
    s->state = STREAM_IDLE;
    s->at = s->end = 0;
    return result;
}

static int put(char c, FILE *f)
{
    struct stream *s = (struct stream *)f;
    if (s->state != STREAM_WRITES) {
        stream_stop(s);
        s->state = STREAM_WRITES;
    }
    s->buffer[s->at++] = c;
    if (s->at == s->size || (c == '\n' && s->by_line))
        return write_out(s);
    return 0;
}

static int get(FILE *f)
{
    struct stream *s = (struct stream *)f;
    if (s->state != STREAM_READS) {
        if (stream_stop(s))
            return _FDEV_ERR;
        s->state = STREAM_READS;
    }
    if (s->at == s->end) {
        ssize_t n = s->device->read(s, s->buffer, s->size);
        s->at = 0;
        s->end = n > 0 ? (size_t)n : 0;
        if (n <= 0)
            return n < 0 ? _FDEV_ERR : _FDEV_EOF;
    }
    return (unsigned char)s->buffer[s->at++];
}

void stream_make(struct stream *s, const struct stream_device *device, int number, uint8_t flags, char *buffer,
                 size_t size)
{
    s->file = (FILE)FDEV_SETUP_STREAM(put, get, stream_flush, flags | STREAM);
    s->device = device;
    s->number = number;
    s->state = STREAM_IDLE;
    s->by_line = false;
    s->buffer = buffer;
    s->size = size;
    s->at = s->end = 0;
}

int setvbuf(FILE *f, char *buffer, int mode, size_t size)
{
    struct stream *s = stream_of(f);
    if (mode != _IOFBF && mode != _IOLBF && mode != _IONBF) {
        errno = EINVAL;
        return EOF;
    }
    if (!s || !s->device) /* the console's lines are as they are */
        return 0;
    stream_lock(f);
    int result = stream_stop(s);
    s->by_line = mode == _IOLBF;
    if (mode == _IONBF) {
        s->buffer = &s->single;
        s->size = 1;
    } else if (buffer && size) {
        s->buffer = buffer;
        s->size = size;
    }
    stream_unlock(f);
    return result;
}
