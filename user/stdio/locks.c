/* SPDX-License-Identifier: MIT */
/* locks.c - flockfile(): a thread holds a stream for several calls. A FILE without a lock is the caller's own. */
#include "stream.h"

void flockfile(FILE *f) { stream_lock(f); }
void funlockfile(FILE *f) { stream_unlock(f); }

int ftrylockfile(FILE *f)
{
    struct stream *s = stream_of(f);
    return s ? __lock_try_acquire_recursive(&s->lock) : 0;
}
