/* SPDX-License-Identifier: MIT */
/* state.c - feof(), ferror(), clearerr(), fileno(): functions, where picolibc's header has macros without the lock. */
#include <errno.h>

#include "stream.h"

static int flag(FILE *f, int which)
{
    stream_lock(f);
    int is = f->flags & which;
    stream_unlock(f);
    return is != 0;
}

int feof(FILE *f) { return flag(f, __SEOF); }
int ferror(FILE *f) { return flag(f, __SERR); }

void clearerr(FILE *f)
{
    stream_lock(f);
    f->flags &= (uint8_t) ~(__SERR | __SEOF);
    stream_unlock(f);
}

int fileno(FILE *f)
{
    struct stream *s = stream_of(f);
    if (s && s->number >= 0)
        return s->number;
    errno = EBADF;
    return -1;
}
