/* SPDX-License-Identifier: MIT */
/* get.c - input by characters. */
#include <errno.h>

#include "stream.h"

#define PUSHED_BACK 0x100 /* in FILE.unget, beside the character, as picolibc has it */

int getc_unlocked(FILE *f)
{
    if (!(f->flags & __SRD)) {
        errno = EBADF;
        f->flags |= __SERR;
        return EOF;
    }
    if (f->unget) {
        int c = (unsigned char)f->unget;
        f->unget = 0;
        return c;
    }
    if (f->flags & __SEOF)
        return EOF;
    int c = f->get(f);
    if (c < 0)
        f->flags |= c == _FDEV_ERR ? __SERR : __SEOF;
    return c < 0 ? EOF : c;
}

int fgetc(FILE *f)
{
    stream_lock(f);
    int c = getc_unlocked(f);
    stream_unlock(f);
    return c;
}

int getc(FILE *f) { return fgetc(f); }

int ungetc(int c, FILE *f)
{
    stream_lock(f);
    bool fits = f->flags & __SRD && c != EOF && !f->unget;
    struct stream *s = stream_of(f);
    if (fits && s && s->device && s->state != STREAM_READS)
        fits = !stream_stop(s);
    if (fits && s && s->device && s->at && (unsigned char)s->buffer[s->at - 1] == (unsigned char)c) {
        s->at--; /* what was read goes back where it was, and the one place stays free */
        f->flags &= (uint8_t)~__SEOF;
    } else if (fits) {
        if (s && s->device)
            s->state = STREAM_READS;
        f->unget = (unsigned char)c | PUSHED_BACK;
        f->flags &= (uint8_t)~__SEOF;
    }
    stream_unlock(f);
    return fits ? (unsigned char)c : EOF;
}
