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

#include <errors.h>
#include <hal/noc.h>

#define LANE_STEP    2u /* words are even */
#define LANE_SLOTS   8u
#define LANE_DATA    128u /* bytes of a message */
#define LANE_PORTS   16u
#define LANE_KINDS   8u
#define LANE_SIGNALS 4u

/* The room of one message in an outbox. Nothing else is in its lines. */
struct lane_slot {
    u32 number; /* 2 x the number of messages of this connection before it */
    u32 head;   /* as in struct lane_message */
    u32 of, zero;
    u8 data[LANE_DATA];
} __aligned(NOC_LINE);
_Static_assert(sizeof(struct lane_slot) == 3 * NOC_LINE, "a slot fills its lines");

/* One half, as it lies in an outbox. All words are even. */
struct lane_half {
    u32 epoch;       /* this end's: its cluster's life, and how often it restarted in it; 0: it has not started */
    u32 echo;        /* the peer's epoch that this end has accepted; 0: none */
    u32 sent;        /* 2 x the number of messages put into the slots */
    u32 taken;       /* 2 x the number of messages taken out of the peer's slots */
    u32 ask, answer; /* to check that the peer is alive: it copies `ask` to its `answer` */
    u32 news;        /* 2 x the number of changes for which the peer was rung; a sweep over the lanes reads only this */
    u32 signal[LANE_SIGNALS]; /* 2 x the number of signals of each kind in this run: a message without a slot, for which
                                 the peer is rung and `news` does not change */
    u32 slow;                 /* not 0: a message of the peer waits here because its reader is slow */
    u32 left; /* 2 x the number of times that a port of this end's senders has lost its owner (struct lane_owners) */
    struct lane_slot slot[LANE_SLOTS];
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_half) == 2 * KIB && offsetof(struct lane_half, slot) == NOC_LINE,
               "the words are in a line of their own");

/* The half that a cluster has for itself: which of its processes owns each port from which it sends to each cluster, a
 * line each. 0: none does. */
struct lane_owners {
    u32 of[NOC_CLUSTERS][LANE_PORTS];
} __aligned(2 * KIB);
_Static_assert(sizeof(struct lane_owners) == sizeof(struct lane_half) && LANE_PORTS * 4 == NOC_LINE, "a line each");

/* One end of a lane. Private to lane.c but for `up`. */
struct lane {
    struct lane_half *ours;
    const struct lane_half *theirs;
    u32 epoch, peer_epoch; /* peer_epoch: the one that was accepted; 0: none */
    u32 sent, acknowledged, taken, peer_sent;
    u32 restarts; /* of this end, in this life of its cluster */
    u32 heard_of; /* the newest life of the peer's cluster that it has said */
    u32 asked;
    u32 answer;                  /* what `ours` has: the peer's last question */
    u32 left;                    /* the peer's, as this end has seen it */
    u32 told, heard;             /* this end's `news`; the peer's at the last lane_poll() */
    u32 signalled[LANE_SIGNALS]; /* of the peer's `signal`: those that were taken */
    ticks_t asked_at;            /* the time of the question; 0: it was answered */
    ticks_t former_at;           /* since when the peer says a life before that one; 0: it does not */
    u8 peer;
    bool slow; /* what `ours` says */
    bool up;   /* both ends have accepted each other's epoch */
};

struct lane_message {
    union {
        struct {
            u8 kind;     /* used by the callers: even, below 2 x LANE_KINDS */
            u8 to, from; /* ports */
            u8 size;     /* 1 to LANE_DATA */
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

/* Start a lane to cluster `peer`, which is not this one. Called once in a life of this cluster. */
void lane_start(struct lane *l, unsigned peer);
/* The peer is silent: restart the lane. Messages that it has not taken are lost. */
void lane_give_up(struct lane *l);
/* How often something was dropped because it names a former life, by all lanes and who uses them. */
extern u32 lanes_dropped;
/* Returns whether the peer has announced no change since the last lane_poll(). This looks at the line of the peer's
 * words, which are then read from that one look until the next. */
static inline bool lane_is_quiet(const struct lane *l)
{
    const struct lane_half *h = l->theirs;
    noc_poll(h);
    return READ_ONCE(h->news) == l->heard;
}
/*
 * Read the peer's words, as the last lane_is_quiet() saw them, and answer its question. Returns 0: the lane is up;
 * -EAGAIN: the peer has not accepted this end's epoch yet, or it says an epoch of a former life, which is dropped and
 * counted. Once for each event: -EIO: the peer has restarted, and
 * messages that it had not taken are lost; -EBADMSG: the peer wrote impossible values, and the lane restarts.
 */
int lane_poll(struct lane *l);
/* Ask whether the peer is alive, unless a question is unanswered. */
void lane_ask(struct lane *l);
/* Returns the time of the unanswered question, as of the last lane_poll(); 0: there is none. */
static inline ticks_t lane_asked_at(const struct lane *l) { return l->asked_at; }
/* The peer wrote what cannot be: restart the lane. Returns -EBADMSG. */
int lane_lied(struct lane *l);

/*
 * What most messages need is in line.
 */

/* Store one of this end's words, so that it is visible before any later one. */
static inline void lane_publish(const struct lane *l, u32 *word, u32 value)
{
    WRITE_ONCE(*word, value);
    noc_clean_line(l->ours);
}

/* Change `news` and ring the peer, so that it reads the other words. */
static inline void lane_tell(struct lane *l)
{
    struct lane_half *ours = l->ours;
    WRITE_ONCE(ours->news, l->told += LANE_STEP);
    noc_clean_line(ours);
    noc_ring(l->peer);
}

/* Returns whether the peer's counts may be; they are of this run. */
static inline bool lane_is_possible(const struct lane *l, u32 sent, u32 taken)
{
    const u32 most = LANE_SLOTS * LANE_STEP;
    return !((sent | taken) % LANE_STEP) && sent - l->taken <= most && sent - l->peer_sent <= most &&
           taken - l->acknowledged <= l->sent - l->acknowledged;
}

/*
 * lane_poll() where the lane is up, nobody asks, and the peer's words are possible ones of this run. Returns false in
 * all other cases: then lane_poll() is next. Each word is read once, between barriers, in lane_poll()'s order.
 */
static inline bool lane_poll_usual(struct lane *l)
{
    const struct lane_half *h = l->theirs;
    u32 news = h->news;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 echo = h->echo;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 sent = h->sent, taken = h->taken, ask = h->ask;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 epoch = h->epoch;
    barrier();
    if (unlikely(!l->up || l->asked_at || epoch != l->peer_epoch || echo != l->epoch || ask != l->answer ||
                 !lane_is_possible(l, sent, taken)))
        return false;
    l->heard = news;
    l->peer_sent = sent;
    l->acknowledged = taken;
    return true;
}

/* Say to the peer whether a message of its own waits here because its reader is slow. */
static inline void lane_say_slow(struct lane *l, bool slow)
{
    l->slow = slow;
    lane_publish(l, &l->ours->slow, slow * LANE_STEP);
}
/* Returns whether the peer says so, as the last lane_is_quiet() saw it. */
static inline bool lane_is_slow(const struct lane *l) { return l->up && READ_ONCE(l->theirs->slow); }

/* A port's owner has gone: tell the peer, whose processes may wait for it. */
static inline void lane_say_left(struct lane *l)
{
    lane_publish(l, &l->ours->left, l->ours->left + LANE_STEP);
    lane_tell(l);
}
/* Returns whether the peer has said so since the last call, as the last lane_is_quiet() saw it. */
static inline bool lane_has_left(struct lane *l)
{
    u32 left = READ_ONCE(l->theirs->left);
    if (likely(left == l->left))
        return false;
    l->left = left;
    return true;
}

/* Returns whether a message may be put into a slot. */
static inline bool lane_has_room(const struct lane *l)
{
    return l->up && l->sent - l->acknowledged != LANE_SLOTS * LANE_STEP;
}

/* Count one more signal of kind i, and ring the peer. Returns false: the lane is not up, or its slots are full: a
 * signal needs none, but who takes no messages takes no signals. */
static inline bool lane_signal(const struct lane *l, unsigned i)
{
    u32 *word = &l->ours->signal[i];
    if (unlikely(!lane_has_room(l)))
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

/* Put a message into a slot and ring the peer. -EAGAIN: the lane is not up, or all slots are full. */
static inline int lane_send(struct lane *l, const struct lane_message *m)
{
    u32 sent = l->sent;
    if (unlikely(!lane_has_room(l)))
        return -EAGAIN;
    struct lane_slot *s = &l->ours->slot[sent / LANE_STEP % LANE_SLOTS];
    s->number = sent;
    s->head = m->head;
    s->of = m->of;
    size_t size = m->size;
    /* Bytes behind the data in the slot are from an older message to the same peer. */
    lane_copy(s->data, m->data, size);
    noc_clean_line(s);
    for (size_t at = NOC_LINE; at < offsetof(struct lane_slot, data) + size; at += NOC_LINE)
        noc_clean_line((const char *)s + at);
    lane_publish(l, &l->ours->sent, l->sent = sent + LANE_STEP);
    lane_tell(l);
    return 0;
}

/* One comparison for kind and ports: each is below a power of two, and the kind is even. */
static inline bool lane_is_right(struct lane_message m)
{
    const u32 most = LANE_STEP * (LANE_KINDS - 1) | (LANE_PORTS - 1) << 8 | (LANE_PORTS - 1) << 16 | 0xffu << 24;
    return !(m.head & ~most) && m.size - 1u < LANE_DATA;
}

/* Get the oldest message, without removing it. Call lane_poll() before. -EAGAIN: there is none; -EBADMSG as above. */
static inline int lane_peek(struct lane *l, struct lane_message *m)
{
    u32 taken = l->taken;
    if (!l->up || l->peer_sent == taken)
        return -EAGAIN;
    const struct lane_slot *s = &l->theirs->slot[taken / LANE_STEP % LANE_SLOTS];
    noc_invalidate_line(s);
    u32 number = READ_ONCE(s->number);
    m->head = READ_ONCE(s->head);
    if (unlikely(number != taken || !lane_is_right(*m)))
        return lane_lied(l);
    for (size_t at = NOC_LINE, size = m->size; at < offsetof(struct lane_slot, data) + size; at += NOC_LINE)
        noc_invalidate_line((const char *)s + at);
    m->of = READ_ONCE(s->of);
    m->data = s->data;
    m->half = l->theirs;
    m->epoch = l->peer_epoch;
    return 0;
}

/* Returns whether the lane's half still is of the life that was accepted. */
static inline bool lane_half_is(const struct lane_half *half, u32 epoch)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    noc_poll(half);
    return READ_ONCE(half->epoch) == epoch;
}

/* Returns whether the data that were copied from m->data are those of the life that sent them. Call it after the copy:
 * of a cluster that starts again the epochs are cleared first. If not, drop the copy; this counts it. */
static inline bool lane_is_whole(const struct lane_message *m)
{
    bool whole = !m->half || lane_half_is(m->half, m->epoch);
    if (unlikely(!whole))
        lanes_dropped++;
    return whole;
}

/* Remove the message that lane_peek() returned. A peer that has found all slots full waits for a ring, which must come
 * within LANE_SLOTS takes. It is not enough to ring if all slots were full at this take, because the peer may have
 * filled the last one since. */
static inline void lane_take(struct lane *l)
{
    u32 taken = l->taken += LANE_STEP;
    lane_publish(l, &l->ours->taken, taken);
    if (!(taken / LANE_STEP % (LANE_SLOTS / 2)))
        lane_tell(l);
}

#endif
