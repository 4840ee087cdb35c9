/* SPDX-License-Identifier: MIT */
/*
 * amalgam/tunnel.h - a process's end of a tunnel: memory that it shares with a guest or another process because the
 * system file says so (docs/system-file.md, channels), and a bell each way.
 *
 * amalgam_tunnel_notify() rings the peer, amalgam_tunnel_wait() takes a ring of the peer, amalgam_tunnel_call() does
 * both. A ring means "look". Between two processes amalgam_wait() and amalgam_wake() work on words of the memory too.
 * When the peer ends, each thread is told once: its wait on the bell or on a word there, or its next one, returns
 * -AMALGAM_EPIPE. The next wait waits for the peer's next run.
 *
 * The peer may write the memory at any time, so copy what you check before you use it. The operator may withdraw the
 * tunnel: then a touch of its memory is a page fault, and the calls return -AMALGAM_EACCES.
 */
#ifndef AMALGAM_TUNNEL_H
#define AMALGAM_TUNNEL_H

#include "calls.h"

#define AMALGAM_TUNNEL_WRITE      1u /* rights: this process may write the memory */
#define AMALGAM_TUNNEL_PEER_WRITE 2u /* and its peer may */

struct amalgam_tunnel {
    uint32_t index; /* of the process's tunnels, in the order of the system file */
    uint32_t rights;
    void *memory;
    size_t size;
};

/* Describe tunnel `index` of the process in *t. Returns 0; -AMALGAM_ENOENT: there is none; -AMALGAM_EACCES: it is
 * withdrawn at the moment; -AMALGAM_ENOSYS: the kernel was built without tunnels. */
static inline int64_t amalgam_tunnel_open(uint32_t index, struct amalgam_tunnel *t)
{
    int64_t at = amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_ADDRESS);
    if (at < 0)
        return at;
    t->index = index;
    t->rights = (uint32_t)amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_RIGHTS);
    t->memory = (void *)(uintptr_t)at;
    t->size = (size_t)amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_SIZE);
    return amalgam_tunnel_info(index, AMALGAM_TUNNEL_INFO_STATE) == 1 ? 0 : -AMALGAM_EACCES;
}

#endif
