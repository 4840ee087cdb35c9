/* SPDX-License-Identifier: MIT */
/* poll.c - poll() and select(): wait until one of several files can be read or written. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>

#include "cancel.h"
#include "clock.h"
#include "files.h"
#include "lock.h"

#define ALWAYS (POLLERR | POLLHUP | POLLNVAL)

/* With the lock. Returns how many of them have something to tell. */
static int look(struct pollfd *of, nfds_t n)
{
    int ready = 0;
    for (nfds_t i = 0; i < n; i++) {
        struct open_file *f = files_of(of[i].fd);
        of[i].revents = of[i].fd < 0 ? 0 : f ? files_ready(f) & (of[i].events | ALWAYS) : POLLNVAL;
        ready += of[i].revents != 0;
    }
    return ready;
}

static int poll_until(struct pollfd *of, nfds_t n, uint64_t deadline)
{
    int ready, error = 0;
    cancel_test();
    files_enter();
    for (;;) {
        uint32_t seen = files_changes();
        ready = look(of, n);
        if (ready || error || !deadline)
            break;
        error = files_wait(seen, deadline);
    }
    files_leave();
    return ready || error == -ETIMEDOUT ? ready : error;
}

static uint64_t deadline_in(uint64_t ns)
{
    uint64_t now = amalgam_clock();
    return ns < AMALGAM_NEVER - now ? now + ns : AMALGAM_NEVER;
}

int poll(struct pollfd *of, nfds_t n, int ms)
{
    uint64_t deadline = ms < 0 ? AMALGAM_NEVER : ms ? deadline_in((uint64_t)ms * 1000000) : 0;
    return (int)files_result(n > MOST_OPEN ? -EINVAL : poll_until(of, n, deadline));
}

/* POSIX, select(): an end or an error is ready to be read. */
static const struct {
    short asked, told;
} set_of[3] = { { POLLIN, POLLIN | POLLHUP | POLLERR }, { POLLOUT, POLLOUT | POLLERR }, { POLLPRI, POLLPRI } };

int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, struct timeval *restrict time)
{
    fd_set *sets[3] = { in, out, other };
    struct pollfd of[FD_SETSIZE];
    struct timespec t = time ? (struct timespec){ time->tv_sec, time->tv_usec * 1000 } : (struct timespec){ 0, 0 };
    uint64_t ns;
    if (n < 0 || n > FD_SETSIZE || t.tv_sec < 0 || !clock_of(&t, &ns))
        return (int)files_result(-EINVAL);
    for (int fd = 0; fd < n; fd++) {
        of[fd] = (struct pollfd){ .fd = -1 };
        for (int i = 0; i < 3; i++)
            if (sets[i] && FD_ISSET(fd, sets[i])) {
                of[fd].fd = fd;
                of[fd].events |= set_of[i].asked;
            }
    }
    int error = poll_until(of, (nfds_t)n, !time ? AMALGAM_NEVER : ns ? deadline_in(ns) : 0), ready = 0;
    for (int fd = 0; error >= 0 && fd < n; fd++)
        if (of[fd].revents & POLLNVAL)
            error = -EBADF;
    if (error < 0)
        return (int)files_result(error);
    for (int i = 0; i < 3; i++)
        for (int fd = 0; sets[i] && fd < n; fd++) {
            bool told = FD_ISSET(fd, sets[i]) && of[fd].revents & set_of[i].told;
            if (!told)
                FD_CLR(fd, sets[i]);
            ready += told;
        }
    return ready;
}
