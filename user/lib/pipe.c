/* SPDX-License-Identifier: MIT */
/*
 * pipe.c - pipe(): bytes from one end to the other, for threads of the process, and for poll(). Up to PIPE_BUF bytes
 * are written as one piece.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "lock.h"
#include "pipe.h"

#define ROOM 4096u /* bytes; a power of 2 */

struct pipe {
    uint32_t first, end; /* bytes that were read, and written, in all: they come round */
    bool reads, writes;  /* the end is open */
    uint8_t bytes[ROOM];
};

static size_t in_it(const struct pipe *p) { return p->end - p->first; }

static int64_t take(struct open_file *f, uint64_t at, void *to, size_t n)
{
    struct pipe *p = f->own;
    uint32_t seen = files_changes();
    (void)at;
    while (n && !in_it(p) && p->writes) {
        int error = pipe_wait(f, &seen);
        if (error)
            return error;
    }
    size_t done = 0;
    for (; done < n && in_it(p); done++)
        ((uint8_t *)to)[done] = p->bytes[p->first++ % ROOM];
    if (done)
        files_changed();
    return (int64_t)done;
}

static int64_t put(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    struct pipe *p = f->own;
    uint32_t seen = files_changes();
    size_t done = 0, whole = n <= PIPE_BUF ? n : 1;
    int error = 0;
    (void)at;
    while (done < n && !error) {
        if (!p->reads) {
            error = done ? -EPIPE : pipe_broken();
        } else if (ROOM - in_it(p) < whole) {
            error = pipe_wait(f, &seen);
        } else {
            for (; done < n && in_it(p) < ROOM; done++)
                p->bytes[p->end++ % ROOM] = ((const uint8_t *)from)[done];
            files_changed();
        }
    }
    return done ? (int64_t)done : error;
}

static short may_take(struct open_file *f)
{
    const struct pipe *p = f->own;
    return (short)((in_it(p) ? POLLIN : 0) | (p->writes ? 0 : POLLHUP));
}

static short may_put(struct open_file *f)
{
    const struct pipe *p = f->own;
    return (short)((ROOM - in_it(p) >= PIPE_BUF ? POLLOUT : 0) | (p->reads ? 0 : POLLERR));
}

static void end(struct pipe *p, bool *side)
{
    *side = false;
    files_changed();
    if (!p->reads && !p->writes)
        free(p);
}

static void end_taking(struct open_file *f) { end(f->own, &((struct pipe *)f->own)->reads); }
static void end_putting(struct open_file *f) { end(f->own, &((struct pipe *)f->own)->writes); }

static const struct file_kind out = { .read = take, .describe = pipe_describe, .poll = may_take, .end = end_taking };
static const struct file_kind in = { .write = put, .describe = pipe_describe, .poll = may_put, .end = end_putting };

static int make(int ends[2], int flags)
{
    struct pipe *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    p->reads = p->writes = true;
    int error = files_open_two((const struct file_kind *const[]){ &out, &in }, (void *const[]){ p, p },
                               (const int[]){ O_RDONLY | (flags & O_NONBLOCK), O_WRONLY | (flags & O_NONBLOCK) }, ends);
    if (error)
        free(p);
    return error;
}

int (*pipe_outside)(int ends[2], int flags);

/* There is no exec(), so that O_CLOEXEC has no meaning. */
int pipe2(int ends[2], int flags)
{
    int error = flags & ~(O_NONBLOCK | O_CLOEXEC) ? -EINVAL : pipe_outside ? pipe_outside(ends, flags) : -ENOSYS;
    return (int)files_result(error == -ENOSYS ? make(ends, flags) : error);
}

int pipe(int ends[2]) { return pipe2(ends, 0); }
