/* SPDX-License-Identifier: MIT */
/*
 * lane_notice.h - what is in the buffers of an outbox, as words of a lane; see lane.h for who may call. A buffer is
 * announced by a notice, and is the peer's from then on, until it gives the buffer back.
 */
#ifndef AMALGAM_CLUSTER_LANE_NOTICE_H
#define AMALGAM_CLUSTER_LANE_NOTICE_H

#include "dma.h"
#include "lane.h"

/* What a notice says. */
struct lane_page {
    u32 of;
    u16 length;
    u8 ports;  /* the reader's x 16 + the writer's */
    u8 buffer; /* below LANE_BUFFERS */
};

/* Tell the peer of data in `n` buffers that it has given back, or never had: of a process, between two ports.
 * Returns these buffers (bits); 0: the lane is not up. */
u32 lane_notify(struct lane *l, unsigned ports, u32 of, const struct dma_page *page, unsigned n);
/* Take the notices that have come, at most LANE_BUFFERS, in their order. Call lane_poll() before. Returns how many
 * there are; -EBADMSG as above. */
int lane_take_notices(struct lane *l, struct lane_page *page);
/* Buffers (bits) of the peer were read, or will never be: give them back. */
void lane_give_back(struct lane *l, u32 buffers);
/* Returns this end's buffers that the peer has given back since `taken` was in seen.taken. */
u32 lane_given_back(struct lane *l, u32 taken);
/* Tell the peer to give this end's buffers (bits) back, read or not. */
void lane_want_back(struct lane *l, u32 buffers);
/* Returns those for which the peer has done so. */
static inline u32 lane_wanted_back(const struct lane *l)
{
    return READ_ONCE(l->theirs->unwanted) >> LANE_BUFFER_AT & ((1u << LANE_BUFFERS) - 1);
}

#endif
