/* SPDX-License-Identifier: MIT */
/* perror.c - one line, whatever other threads print. */
#include <errno.h>
#include <string.h>

#include "stream.h"

void perror(const char *what)
{
    const char *why = strerror(errno);
    stream_lock(stderr);
    if (what && *what) {
        fputs(what, stderr);
        fputs(": ", stderr);
    }
    fputs(why, stderr);
    putc_unlocked('\n', stderr);
    stream_unlock(stderr);
}
