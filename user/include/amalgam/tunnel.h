/* SPDX-License-Identifier: MIT */
/*
 * amalgam/tunnel.h - a process's end of a tunnel: memory that the system file lets it share with a guest or another
 * process (docs/system-file.md, channels), and a doorbell in each direction.
 *
 * amalgam_tunnel_notify() rings the peer, amalgam_tunnel_wait() takes a ring of the peer, amalgam_tunnel_call() does
 * both. A ring means that the memory may have changed. Between two processes amalgam_wait() and amalgam_wake() also
 * work on words of the memory. When the peer ends, each thread gets -AMALGAM_EPIPE once: from the wait that it is in,
 * on the doorbell or on a word, or from its next one. The wait after that waits for the peer's next run.
 *
 * The peer may write the memory at any time, so copy a value before you check it. The operator may withdraw the tunnel;
 * then an access to its memory is a page fault, and the calls return -AMALGAM_EACCES.
 */
#ifndef AMALGAM_TUNNEL_H
#define AMALGAM_TUNNEL_H

#include "calls.h"

#define AMALGAM_TUNNEL_WRITE      1u /* rights: this process may write the memory */
#define AMALGAM_TUNNEL_PEER_WRITE 2u /* rights: the peer may write it */

struct amalgam_tunnel {
    uint32_t index; /* among the process's tunnels, in the order of the system file */
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
