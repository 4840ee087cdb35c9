/* SPDX-License-Identifier: MIT */
/*
 * lane_half.h - what lies in an outbox for another cluster: a half of a lane (lane.h); and a message, as it goes there.
 *
 * All words in an outbox are even: bit 0 is clear, so no word can be a valid entry of a page table (docs/boards.md says
 * why that matters on the emulated board).
 */
#ifndef AMALGAM_CLUSTER_LANE_HALF_H
#define AMALGAM_CLUSTER_LANE_HALF_H

#include <hal/noc.h>

#define LANE_STEP        2u /* words are even */
#define LANE_SLOTS       8u
#define LANE_DATA        128u /* bytes of a message */
#define LANE_LITTLES     2u   /* little slots, for messages of kind LANE_KIND_LITTLE */
#define LANE_LITTLE      48u  /* bytes of a message there */
#define LANE_BUFFERS     16u  /* buffers of an outbox, of which a half tells */
#define LANE_PORTS       16u
#define LANE_KIND_LITTLE 2
#define LANE_SIGNALS     4u

/* The room of one message in an outbox. Nothing else is in its lines. */
struct lane_slot {
    u32 number; /* 2 x the number of messages in slots of this size, of this connection, before it */
    u32 head;   /* as in struct lane_message */
    u32 of, zero;
    u8 data[LANE_DATA];
} __aligned(NOC_LINE);
_Static_assert(sizeof(struct lane_slot) == 3 * NOC_LINE, "a slot fills its lines");

struct lane_little {
    u32 number; /* as in a slot */
    u32 head;
    u32 of, zero;
    u8 data[LANE_LITTLE];
} __aligned(NOC_LINE);
_Static_assert(sizeof(struct lane_little) == NOC_LINE, "a little slot is a line");
_Static_assert(offsetof(struct lane_little, data) == offsetof(struct lane_slot, data), "both begin alike");

/* What is in a buffer of the outbox, for the peer. */
struct lane_notice {
    u32 what; /* from bit 1 the length of the data - 1; from bit 13 both ports; from bit 21 the notice's number */
    u32 of;   /* as in struct lane_message */
};
#define LANE_NOTICE_PORTS  13
#define LANE_NOTICE_NUMBER 21

/*
 * Places: little slots, buffers, slots; a bit each, and bit 0 is clear. A place is used while its bit in the sender's
 * `put` and its bit in the receiver's `taken` differ.
 */
#define LANE_LITTLE_AT   1
#define LANE_BUFFER_AT   (LANE_LITTLE_AT + LANE_LITTLES)
#define LANE_SLOT_AT     (LANE_BUFFER_AT + LANE_BUFFERS)
#define LANE_LITTLE_BITS (((1u << LANE_LITTLES) - 1) << LANE_LITTLE_AT)
#define LANE_BUFFER_BITS (((1u << LANE_BUFFERS) - 1) << LANE_BUFFER_AT)
#define LANE_SLOT_BITS   (((1u << LANE_SLOTS) - 1) << LANE_SLOT_AT)

union lane_places {
    struct {
        u32 put;   /* changes with what is put into one of this end's places */
        u32 taken; /* changes with what is taken out of one of the peer's */
    };
    u64 both; /* for one look at them */
};

/* One half, as it lies in an outbox. All words are even. */
struct lane_half {
    u32 epoch; /* this end's: its cluster's life, and how often it restarted in it; 0: it has not started */
    u32 echo;  /* the peer's epoch that this end has accepted; 0: none */
    union lane_places places;
    u32 ask, answer; /* to check that the peer is alive: it copies `ask` to its `answer` */
    u32 news;        /* 2 x the number of changes for which the peer was rung; a sweep over the lanes reads only this */
    /* 2 x the number of signals of each kind in this run: a message without a slot, for which the peer is rung and
     * `news` does not change */
    u32 signal[LANE_SIGNALS];
    u32 slow;     /* not 0: a message of the peer waits here because its reader is slow */
    u32 rare;     /* 2 x the number of changes of what is read for that only: struct lane_owners, and `unwanted` */
    u32 unwanted; /* buffers that this end wants back, read or not; as in `put` */
    struct lane_slot slot[LANE_SLOTS];
    struct lane_little littles[LANE_LITTLES];
    struct lane_notice notice[LANE_BUFFERS] __aligned(NOC_LINE);
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_half) == 2 * KIB && offsetof(struct lane_half, slot) == NOC_LINE,
               "the words are in a line of their own");

/* The half that a cluster has for itself: which of its processes owns each port from which it sends to each cluster, a
 * line each. 0: none does. */
struct lane_owners {
    u32 of[NOC_CLUSTERS][LANE_PORTS];
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_owners) == sizeof(struct lane_half) && LANE_PORTS * 4 == NOC_LINE, "a line each");

struct lane_message {
    union {
        struct {
            u8 kind;     /* 0: a mail, in a slot; or LANE_KIND_LITTLE */
            u8 to, from; /* ports */
            u8 size;     /* 1 to LANE_DATA; of a little one to LANE_LITTLE */
        };
        u32 head;
    };
    u32 of; /* a life of the process that sends, as in struct lane_owners; 0: of none */
    /* Aligned to 8, and readable up to the next multiple of 8. The data of a received message lie in the sender's
     * outbox, and the sender may change them at any time: copy them, then check the copy. */
    const u8 *data;
    const struct lane_half
        *half; /* of one that was received: where its sender's life is said; NULL: it is of this cluster */
    u32 epoch; /* and which life it is */
};
/* Copy a message's data, up to the next multiple of 8; both are aligned to 8. */
static inline void lane_copy(void *to, const void *from, size_t size)
{
    typedef unsigned long __attribute__((may_alias)) word;
    word *t = to;
    const volatile word *f = from, *end = (const volatile word *)((const char *)from + ALIGN_UP(size, (size_t)8));
    const volatile word *last = end - 8;
    for (; f <= last; f += 8, t += 8) {
        word a = f[0], b = f[1], c = f[2], d = f[3], e = f[4], g = f[5], h = f[6], i = f[7];
        t[0] = a, t[1] = b, t[2] = c, t[3] = d, t[4] = e, t[5] = g, t[6] = h, t[7] = i;
    }
    while (f < end)
        *t++ = *f++;
}

#endif
