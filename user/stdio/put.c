/* SPDX-License-Identifier: MIT */
/* put.c - output by characters and by strings. */
#include <errno.h>

#include "stream.h"

int putc_unlocked(int c, FILE *f)
{
    bool writes = f->flags & __SWR;
    if (writes && f->put((char)c, f) >= 0)
        return (unsigned char)c;
    if (!writes)
        errno = EBADF;
    f->flags |= __SERR;
    return EOF;
}

int fputc(int c, FILE *f)
{
    stream_lock(f);
    int result = putc_unlocked(c, f);
    stream_unlock(f);
    return result;
}

int putc(int c, FILE *f) { return fputc(c, f); }

static int put_all(const char *text, FILE *f)
{
    for (; *text; text++)
        if (putc_unlocked(*text, f) == EOF)
            return EOF;
    return 0;
}

int fputs(const char *restrict text, FILE *restrict f)
{
    stream_lock(f);
    int result = put_all(text, f);
    stream_unlock(f);
    return result;
}

int puts(const char *text)
{
    stream_lock(stdout);
    int result = put_all(text, stdout) || putc_unlocked('\n', stdout) == EOF ? EOF : 0;
    stream_unlock(stdout);
    return result;
}
