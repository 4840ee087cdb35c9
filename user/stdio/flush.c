/* SPDX-License-Identifier: MIT */
/* flush.c - fflush(). The list of open streams is linked only into a program that opens one. */
#include "stream.h"

int (*streams_write)(void);

int fflush(FILE *f)
{
    if (!f) {
        int result = fflush(stdout);
        return (streams_write && streams_write()) || result ? EOF : 0;
    }
    stream_lock(f);
    int result = f->flush ? f->flush(f) : 0;
    stream_unlock(f);
    return result;
}
