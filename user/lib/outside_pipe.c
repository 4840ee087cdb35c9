/* SPDX-License-Identifier: MIT */
/* outside_pipe.c - pipes of the kernel, whose ends other processes can have: outside.h. */
#include <amalgam/spawn.h>
#include <poll.h>
#include <unistd.h>

#include "outside.h"
#include "pipe.h"

#define MOST (64u << 10) /* bytes that are asked for at once */

static unsigned handle_of(const struct open_file *f) { return (unsigned)(uintptr_t)f->own; }

static int64_t take(struct open_file *f, uint64_t at, void *to, size_t n)
{
    uint32_t seen = files_changes();
    int64_t done;
    (void)at;
    while (n && (done = amalgam_pipe_read(handle_of(f), to, n < MOST ? n : MOST)) == -AMALGAM_EAGAIN) {
        int error = pipe_wait(f, &seen);
        if (error)
            return error;
    }
    return n ? done : 0;
}

static int64_t put(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    uint32_t seen = files_changes();
    size_t done = 0;
    int64_t result = 0;
    (void)at;
    while (done < n && result >= 0) {
        result = amalgam_pipe_write(handle_of(f), (const char *)from + done, n - done < MOST ? n - done : MOST);
        if (result == -AMALGAM_EAGAIN)
            result = pipe_wait(f, &seen);
        else if (result > 0)
            done += (size_t)result;
    }
    if (result == -EPIPE && !done)
        return pipe_broken();
    return done ? (int64_t)done : result;
}

static short may_take(struct open_file *f)
{
    int64_t there = amalgam_pipe_read(handle_of(f), NULL, 0);
    return there == -AMALGAM_EAGAIN ? 0 : there > 0 ? POLLIN : POLLHUP;
}

static short may_put(struct open_file *f)
{
    int64_t room = amalgam_pipe_write(handle_of(f), NULL, 0);
    return room == -AMALGAM_EAGAIN ? 0 : room >= PIPE_BUF ? POLLOUT : room > 0 ? 0 : POLLERR;
}

static void end(struct open_file *f) { amalgam_handle_close(handle_of(f)); }

static const struct file_kind reads = { .read = take, .describe = pipe_describe, .poll = may_take, .end = end };
static const struct file_kind writes = { .write = put, .describe = pipe_describe, .poll = may_put, .end = end };

int outside_pipe_open(unsigned handle, bool writing)
{
    outside_begin();
    return files_open(writing ? &writes : &reads, (void *)(uintptr_t)handle, writing ? O_WRONLY : O_RDONLY);
}

int outside_pipe_handle(const struct open_file *f)
{
    return f->kind == &reads || f->kind == &writes ? (int)handle_of(f) : -1;
}

int outside_pipe_make(int ends[2], int flags)
{
    int64_t made = amalgam_spawn_pipe();
    if (made < 0)
        return made == -AMALGAM_ENOSYS ? -ENOSYS : made == -AMALGAM_ENOMEM ? -ENFILE : -EMFILE;
    unsigned reader = (unsigned)made & 0xff, writer = (unsigned)made >> 8;
    outside_begin();
    int error = files_open_two((const struct file_kind *const[]){ &reads, &writes },
                               (void *const[]){ (void *)(uintptr_t)reader, (void *)(uintptr_t)writer },
                               (const int[]){ O_RDONLY | (flags & O_NONBLOCK), O_WRONLY | (flags & O_NONBLOCK) }, ends);
    if (error) {
        amalgam_handle_close(reader);
        amalgam_handle_close(writer);
    }
    return error;
}
