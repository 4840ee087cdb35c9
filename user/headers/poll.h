/* SPDX-License-Identifier: MIT */
/* poll.h - POSIX' poll(), on files, pipes and the console. */
#ifndef AMALGAM_POLL_H
#define AMALGAM_POLL_H

#ifdef __cplusplus
extern "C" {
#endif

#define POLLIN     0x001
#define POLLPRI    0x002
#define POLLOUT    0x004
#define POLLERR    0x008
#define POLLHUP    0x010
#define POLLNVAL   0x020
#define POLLRDNORM POLLIN
#define POLLWRNORM POLLOUT

typedef unsigned int nfds_t;

struct pollfd {
    int fd;
    short events, revents;
};

/* Returns how many have `revents`, 0 after `ms` milliseconds (-1: never), or -1. EINTR: a handler ran; EINVAL: there
 * are more than numbers of files. */
int poll(struct pollfd *files, nfds_t n, int ms);

#ifdef __cplusplus
}
#endif

#endif
