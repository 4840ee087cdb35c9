/* SPDX-License-Identifier: MIT */
/*
 * lane.h - messages from one cluster to one other, over single-writer words (docs/manycore.md).
 *
 * A lane has two halves. The half in our outbox carries our messages and acknowledges the peer's; the half in the
 * peer's outbox does the same the other way. Each cluster has one `struct lane` for each peer, in its own memory.
 *
 * Words in an outbox are even numbers: bit 0 of none is set, so none can be taken for a valid entry of a page table
 * (docs/boards.md says why that matters on the emulated board).
 *
 * Locks: none. The caller serializes the calls for one lane; the master makes them. No call waits, and each does a
 * constant amount of work, whatever the peer wrote.
 */
#ifndef AMALGAM_CLUSTER_LANE_H
#define AMALGAM_CLUSTER_LANE_H

#include <hal/noc.h>

#define LANE_SLOTS 8u
#define LANE_DATA  128u /* bytes of a message */
#define LANE_PORTS 16u
#define LANE_KINDS 8u

/* What one message takes in an outbox. Its lines hold nothing else. */
struct lane_slot {
    u32 number; /* 2 x messages of this connection before it */
    u32 head;   /* 2 x (kind, and from bits 4, 12, 20 on: to, from, size) */
    u8 data[LANE_DATA];
} __aligned(NOC_LINE);
_Static_assert(sizeof(struct lane_slot) == 3 * NOC_LINE, "a slot fills its lines");

/* One half, as it lies in an outbox. All words are even. */
struct lane_half {
    u32 epoch;       /* of this end: another one at each start, never 0 */
    u32 echo;        /* the peer's epoch that this end has accepted; 0: none */
    u32 sent;        /* 2 x messages put into the slots */
    u32 taken;       /* 2 x messages taken out of the peer's slots */
    u32 ask, answer; /* are you there? The answer is the latest question. */
    u32 news;        /* 2 x changes of the others that the peer was rung for: all that a sweep over the lanes reads */
    struct lane_slot slot[LANE_SLOTS];
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_half) == 2 * KIB && offsetof(struct lane_half, slot) == NOC_LINE,
               "the words are in a line of their own");

/* One end of a lane. Private to lane.c but for `up`. */
struct lane {
    struct lane_half *ours;
    const struct lane_half *theirs;
    u32 epoch, peer_epoch; /* peer_epoch: accepted; 0: none */
    u32 sent, acknowledged, taken, peer_sent;
    u32 asked;
    u32 told, heard;  /* `news` of ours; the peer's as of the last lane_poll() */
    ticks_t asked_at; /* when `asked` was stored; 0: it was answered */
    u8 peer;
    bool up; /* both ends have accepted each other's epoch */
};

struct lane_message {
    u8 kind, to, from; /* ports; `kind` is the users' matter, below LANE_KINDS */
    u8 size;           /* 1 to LANE_DATA */
    /* Aligned to 8, readable up to the next multiple of 8. One that has come lies in its sender's outbox, who may
     * change it at any time: read once, then check the copy. */
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

/* Begin to talk with cluster `peer`, another one than this. Messages of an earlier life of this end are gone. */
void lane_start(struct lane *l, unsigned peer);
/* Whether the peer has rung for nothing since the last lane_poll(). */
static inline bool lane_is_quiet(const struct lane *l)
{
    noc_poll(l->theirs);
    return READ_ONCE(l->theirs->news) == l->heard;
}
/*
 * Read the peer's words, and answer what it asks. 0: the lane is up. -EAGAIN: the peer has not accepted us yet. Said
 * once: -EIO: it has begun again, messages that it had not taken are lost; -EBADMSG: it wrote what cannot be, so the
 * lane begins again.
 */
int lane_poll(struct lane *l);
/* Ask whether the peer is there, unless that was asked and not answered. */
void lane_ask(struct lane *l);
/* When that was, as of the last lane_poll(); 0: nothing is unanswered. */
static inline ticks_t lane_asked_at(const struct lane *l) { return l->asked_at; }
/* Put a message into a slot and ring the peer. -EAGAIN: the lane is not up, or all slots are full. */
int lane_send(struct lane *l, const struct lane_message *m);
/* The oldest message, which stays where it is; lane_poll() comes before. -EAGAIN: there is none; -EBADMSG as above. */
int lane_peek(struct lane *l, struct lane_message *m);
/* It may go. */
void lane_take(struct lane *l);

#endif
