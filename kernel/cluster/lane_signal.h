/* SPDX-License-Identifier: MIT */
/* lane_signal.h - signals of a lane that are words, counted up by their sender; see lane.h for who may call. */
#ifndef AMALGAM_CLUSTER_LANE_SIGNAL_H
#define AMALGAM_CLUSTER_LANE_SIGNAL_H

#include "lane.h"

/* Count one more signal of kind i, and ring the peer. Returns false: the lane is not up, or the little slots
 * are used: a signal needs none, but who takes no messages takes no signals. */
static inline bool lane_signal(const struct lane *l, unsigned i)
{
    u32 *word = &l->ours->signal[i];
    if (unlikely(!l->up || !(lane_free(l) & LANE_LITTLE_BITS)))
        return false;
    WRITE_ONCE(*word, *word + LANE_STEP);
    noc_clean_line(word);
    noc_ring(l->peer);
    return true;
}

/* Take a signal of kind i, of this run. Returns false: there is none. Each word is read once, in lane_poll()'s order.
 */
static inline bool lane_take_signal(struct lane *l, unsigned i)
{
    const struct lane_half *h = l->theirs;
    noc_poll(h);
    u32 echo = h->echo;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 count = h->signal[i];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 epoch = h->epoch;
    barrier();
    if (count == l->signalled[i] || !l->up || echo != l->epoch || epoch != l->peer_epoch)
        return false;
    l->signalled[i] += LANE_STEP;
    return true;
}

/* Drop all signals of kind i that have come. */
static inline void lane_drop_signals(struct lane *l, unsigned i)
{
    noc_poll(l->theirs);
    if (l->up)
        l->signalled[i] = READ_ONCE(l->theirs->signal[i]);
}

#endif
