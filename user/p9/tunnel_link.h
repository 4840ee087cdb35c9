/* SPDX-License-Identifier: MIT */
/* tunnel_link.h - a link (link.h) over a tunnel: what its two ends do alike with the tunnel's bell. */
#ifndef AMALGAM_P9_TUNNEL_LINK_H
#define AMALGAM_P9_TUNNEL_LINK_H

#include <amalgam/tunnel.h>

#include "link.h"

/* Take the rings and the end of the other end's former life: else the next wait would take them for this one's. */
static inline void p9_tunnel_drain(unsigned tunnel)
{
    int64_t result;
    do
        result = amalgam_tunnel_wait(tunnel, 0);
    while (result == 0 || result == -AMALGAM_EPIPE);
}

/* Ring for all that was put, and sleep until the other end has done something. `met` as for p9_link_sleeps(); the
 * tunnel's number is read when it is needed. Returns what the tunnel's calls do. */
static inline int64_t p9_tunnel_sleep(struct p9_link *l, const unsigned *tunnel, bool met, uint64_t deadline)
{
    bool rings = p9_link_bell(l);
    int64_t result = 0;
    if (!p9_link_sleeps(l, met))
        result = rings ? amalgam_tunnel_notify(*tunnel) : 0;
    else
        result = rings ? amalgam_tunnel_call(*tunnel, deadline) : amalgam_tunnel_wait(*tunnel, deadline);
    p9_link_awake(l);
    return result;
}

#endif
