/* SPDX-License-Identifier: MIT */
/*
 * lane.h - messages between two clusters, by words that have one writer each (docs/manycore.md).
 *
 * A lane has two halves. The half in this cluster's outbox carries its messages and acknowledges the peer's; the half
 * in the peer's outbox does the same in the other direction. Each cluster has one `struct lane` for each peer, in its
 * own memory.
 *
 * All words in an outbox are even: bit 0 is clear, so no word can be a valid entry of a page table (docs/boards.md says
 * why that matters on the emulated board).
 *
 * Locks: none. Only the master makes these calls. No call waits, and each does a constant amount of work, whatever the
 * peer wrote.
 */
#ifndef AMALGAM_CLUSTER_LANE_H
#define AMALGAM_CLUSTER_LANE_H

#include <hal/noc.h>

#define LANE_SLOTS 8u
#define LANE_DATA  128u /* bytes of a message */
#define LANE_PORTS 16u
#define LANE_KINDS 8u

/* The room of one message in an outbox. Nothing else is in its lines. */
struct lane_slot {
    u32 number; /* 2 x the number of messages of this connection before it */
    u32 head;   /* 2 x (kind, and from bits 4, 12, 20 on: to, from, size) */
    u8 data[LANE_DATA];
} __aligned(NOC_LINE);
_Static_assert(sizeof(struct lane_slot) == 3 * NOC_LINE, "a slot fills its lines");

/* One half, as it lies in an outbox. All words are even. */
struct lane_half {
    u32 epoch;       /* this end's: a new one at each start, never 0 */
    u32 echo;        /* the peer's epoch that this end has accepted; 0: none */
    u32 sent;        /* 2 x the number of messages put into the slots */
    u32 taken;       /* 2 x the number of messages taken out of the peer's slots */
    u32 ask, answer; /* to check that the peer is alive: it copies `ask` to its `answer` */
    u32 news;        /* 2 x the number of changes for which the peer was rung; a sweep over the lanes reads only this */
    struct lane_slot slot[LANE_SLOTS];
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_half) == 2 * KIB && offsetof(struct lane_half, slot) == NOC_LINE,
               "the words are in a line of their own");

/* One end of a lane. Private to lane.c but for `up`. */
struct lane {
    struct lane_half *ours;
    const struct lane_half *theirs;
    u32 epoch, peer_epoch; /* peer_epoch: the one that was accepted; 0: none */
    u32 sent, acknowledged, taken, peer_sent;
    u32 asked;
    u32 told, heard;  /* this end's `news`; the peer's at the last lane_poll() */
    ticks_t asked_at; /* the time of the question; 0: it was answered */
    u8 peer;
    bool up; /* both ends have accepted each other's epoch */
};

struct lane_message {
    u8 kind, to, from; /* to, from: ports; kind: used by the callers, below LANE_KINDS */
    u8 size;           /* 1 to LANE_DATA */
    /* Aligned to 8, and readable up to the next multiple of 8. The data of a received message lie in the sender's
     * outbox, and the sender may change them at any time: copy them, then check the copy. */
    const u8 *data;
};
/* Copy a message's data, up to the next multiple of 8; both are aligned to 8. */
static inline void lane_copy(void *to, const void *from, size_t size)
{
    typedef unsigned long __attribute__((may_alias)) word;
    word *t = to;
    const volatile word *f = from, *end = (const volatile word *)((const char *)from + ALIGN_UP(size, (size_t)8));
    const volatile word *last = end - 4;
    for (; f <= last; f += 4, t += 4) {
        word a = f[0], b = f[1], c = f[2], d = f[3];
        t[0] = a, t[1] = b, t[2] = c, t[3] = d;
    }
    while (f < end)
        *t++ = *f++;
}

/* Start a lane to cluster `peer`, which is not this one. Messages of an earlier run of this end are lost. */
void lane_start(struct lane *l, unsigned peer);
/* Returns whether the peer has announced no change since the last lane_poll(). */
static inline bool lane_is_quiet(const struct lane *l)
{
    noc_poll(l->theirs);
    return READ_ONCE(l->theirs->news) == l->heard;
}
/*
 * Read the peer's words, and answer its question. Returns 0: the lane is up; -EAGAIN: the peer has not accepted this
 * end's epoch yet. Once for each event: -EIO: the peer has restarted, and messages that it had not taken are lost;
 * -EBADMSG: the peer wrote impossible values, and the lane restarts.
 */
int lane_poll(struct lane *l);
/* Ask whether the peer is alive, unless a question is unanswered. */
void lane_ask(struct lane *l);
/* Returns the time of the unanswered question, as of the last lane_poll(); 0: there is none. */
static inline ticks_t lane_asked_at(const struct lane *l) { return l->asked_at; }
/* Put a message into a slot and ring the peer. -EAGAIN: the lane is not up, or all slots are full. */
int lane_send(struct lane *l, const struct lane_message *m);
/* Get the oldest message, without removing it. Call lane_poll() before. -EAGAIN: there is none; -EBADMSG as above. */
int lane_peek(struct lane *l, struct lane_message *m);
/* Remove the message that lane_peek() returned. */
void lane_take(struct lane *l);

#endif
