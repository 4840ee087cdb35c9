/* SPDX-License-Identifier: MIT */
/* peer_signals.c - signals to and from other clusters that are words; see peer.h. */
#include "lane_signal.h"
#include "peers.h"

u32 peers_signal(u32 nodes, unsigned i)
{
    u32 down = 0, bit = 1;
    for (struct peer *p = peers; nodes; p++, nodes >>= 1, bit <<= 1)
        if (nodes & 1 && !lane_signal(&p->lane, i)) {
            p->again = true;
            down |= bit;
        }
    return down;
}

u32 peers_take_signals(u32 nodes, const u8 *kinds)
{
    u32 found = 0, bit = 1;
    for (struct peer *p = peers; nodes; p++, kinds++, nodes >>= 1, bit <<= 1)
        if (nodes & 1 && *kinds && lane_take_signal(&p->lane, *kinds - 1u))
            found |= bit;
    return found;
}

void peer_drop_signals(unsigned node, unsigned i) { lane_drop_signals(&peers[node].lane, i); }

u32 peer_signals_glimpse(unsigned node)
{
    const struct lane_half *h = peers[node].lane.theirs;
    u32 sum = 0;
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        sum += READ_ONCE(h->signal[i]);
    return sum;
}

bool peer_signals_pile_up(unsigned node, u32 glimpse)
{
    const struct lane *l = &peers[node].lane;
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        glimpse -= l->signalled[i];
    return glimpse > LANE_SLOTS * LANE_STEP;
}
