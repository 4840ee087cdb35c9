/* SPDX-License-Identifier: MIT */
/* peer_owners.c - which processes own the ports from which clusters send; see peer.h. */
#include "peers.h"

static u32 *line_for(unsigned node) { return ((struct lane_owners *)noc_outbox() + noc_self())->of[node]; }

/* The line for a cluster has changed. */
static __cold void tell_owners(unsigned node, bool left)
{
    noc_clean_line(line_for(node));
    if (left && node != noc_self())
        lane_tell_rarely(&peers[node].lane);
}

__cold void peer_set_owner(unsigned node, unsigned own, u32 of)
{
    u32 *line = line_for(node), before = line[own];
    WRITE_ONCE(line[own], of);
    tell_owners(node, before && before != of);
}

__cold void peer_end_owner(unsigned owner)
{
    for (unsigned n = 0; n < noc_clusters(); n++) {
        u32 *line = line_for(n);
        bool any = false;
        for (unsigned own = 0; own < LANE_PORTS; own++)
            if (line[own] && peer_domain(line[own]) == owner) {
                WRITE_ONCE(line[own], 0);
                any = true;
            }
        if (any)
            tell_owners(n, true);
    }
}

__cold u32 peer_owner(unsigned node, unsigned own)
{
    if (node == noc_self())
        return line_for(node)[own];
    const u32 *line = ((const struct lane_owners *)noc_outbox_of(node) + node)->of[noc_self()];
    noc_poll(line);
    return READ_ONCE(line[own]);
}

/* A cluster counts what it sends before it says that the sender has left. */
__cold bool peer_has_left(unsigned node, unsigned own, u32 of)
{
    const struct lane *l = &peers[node].lane;
    if (peer_owner(node, own) == of)
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the owner before the counts, which it wrote first */
    if (node == noc_self())
        return true;
    return lane_is_quiet(l) && !lane_has_mail_of(l, of);
}
