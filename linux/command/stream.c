/* SPDX-License-Identifier: MIT */
/* stream.c - the tagged channel (kernel/include/core/console.h): 0xff and a source's id precede that source's bytes;
 * 0xff 0xff is the byte 0xff itself. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define TAG   0xff
#define PIECE 512

static int write_all(int file, const u8 *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t now = write(file, bytes + done, n - done);
        if (now < 0 && errno != EINTR)
            return errno;
        done += now > 0 ? (size_t)now : 0;
    }
    return 0;
}

int stream_write(int file, u8 source, const char *bytes, size_t n)
{
    u8 framed[2 + 2 * PIECE];
    for (size_t done = 0; done < n;) {
        size_t used = 0;
        framed[used++] = TAG;
        framed[used++] = source;
        for (size_t end = done + PIECE; done < n && done < end; done++) {
            framed[used++] = (u8)bytes[done];
            if ((u8)bytes[done] == TAG)
                framed[used++] = TAG;
        }
        int error = write_all(file, framed, used);
        if (error)
            return error;
    }
    return 0;
}

/* Copy the wanted source's bytes to `to`. Returns their number. */
static size_t filter(struct listener *l, const u8 *from, size_t n, char *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!l->escape && from[i] == TAG) {
            l->escape = true;
            continue;
        }
        bool literal = !l->escape || from[i] == TAG;
        l->escape = false;
        if (!literal)
            l->source = from[i];
        else if (l->source == l->wanted)
            to[kept++] = (char)from[i];
    }
    return kept;
}

/* Bytes of another source restart the wait: `timeout_ms` is the longest time in which nothing at all comes. */
ssize_t stream_read(int file, struct listener *l, char *to, size_t room, int timeout_ms)
{
    u8 piece[PIECE];
    size_t kept = 0;
    while (!kept) {
        struct pollfd wait = { .fd = file, .events = POLLIN };
        int ready = poll(&wait, 1, timeout_ms);
        if (ready <= 0)
            return ready ? -errno : 0;
        ssize_t n = read(file, piece, room < PIECE ? room : PIECE);
        if (n < 0 && errno != EAGAIN)
            return -errno;
        kept = filter(l, piece, n > 0 ? (size_t)n : 0, to);
    }
    return (ssize_t)kept;
}
