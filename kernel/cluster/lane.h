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

#define LANE_PAIRS 3 /* the six words of a half, two at a time */

/* One half, as it lies in an outbox. All words are even. */
struct lane_half {
    union {
        struct {
            u32 epoch;       /* of this end: another one at each start, never 0 */
            u32 echo;        /* the peer's epoch that this end has accepted; 0: none */
            u32 sent;        /* 2 x messages put into the slots */
            u32 taken;       /* 2 x messages taken out of the peer's slots */
            u32 ask, answer; /* are you there? The answer is the latest question. */
        };
        u64 pair[LANE_PAIRS];
    };
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
    ticks_t asked_at;       /* when `asked` was stored; 0: it was answered */
    u64 looked[LANE_PAIRS]; /* the peer's words as of the last lane_poll() */
    u8 peer;
    bool up; /* both ends have accepted each other's epoch */
};

struct lane_message {
    u8 kind, to, from;               /* ports; `kind` is the users' matter, below LANE_KINDS */
    u8 size;                         /* 1 to LANE_DATA */
    u8 data[LANE_DATA] __aligned(8); /* as in a slot: copied by words */
};

/* Begin to talk with cluster `peer`, another one than this. Messages of an earlier life of this end are gone. */
void lane_start(struct lane *l, unsigned peer);
/* Whether the peer has changed none of its words since the last lane_poll(), and all that it sent was taken. */
bool lane_is_quiet(const struct lane *l);
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
/* The oldest message, which stays; lane_poll() comes before. -EAGAIN: there is none; -EBADMSG as above. */
int lane_peek(struct lane *l, struct lane_message *m);
/* It may go. */
void lane_take(struct lane *l);

#endif
