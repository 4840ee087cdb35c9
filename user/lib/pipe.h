/* SPDX-License-Identifier: MIT */
/* pipe.h - what pipes of the process (pipe.c) and of the kernel (outside_pipe.c) have in common. Programs are linked
 * with either alone. With the lock of the process's files. */
#ifndef AMALGAM_USER_PIPE_H
#define AMALGAM_USER_PIPE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>

#include "files.h"

/* Wait for a change after `seen`, which becomes what was seen last. Returns 0 or why not. */
static inline int pipe_wait(const struct open_file *f, uint32_t *seen)
{
    if (f->flags & O_NONBLOCK)
        return -EAGAIN;
    int error = files_wait(*seen, AMALGAM_NEVER);
    *seen = files_changes();
    return error;
}

/* POSIX, write(): the thread gets SIGPIPE. */
static inline int pipe_broken(void)
{
    files_leave();
    raise(SIGPIPE);
    files_enter();
    return -EPIPE;
}

static inline int pipe_describe(const struct open_file *f, struct stat *s)
{
    (void)f;
    *s = (struct stat){ .st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_blksize = PIPE_BUF };
    return 0;
}

#endif
