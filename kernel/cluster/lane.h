/* SPDX-License-Identifier: MIT */
/*
 * lane.h - messages between two clusters, by words that have one writer each (docs/manycore.md).
 *
 * A lane has two halves. The half in this cluster's outbox carries its messages and acknowledges the peer's; the half
 * in the peer's outbox does the same in the other direction. Each cluster has one `struct lane` for each peer, in its
 * own memory.
 *
 * Messages of one kind, signals, have little slots of their own, so that none of them waits for others that nobody
 * reads, and others do not wait for them. A little slot is used while its bit in `little` and its bit in `little_taken`
 * differ; the receiver may leave a message there and take later ones before it. All other messages have eight slots,
 * which are taken in their order.
 *
 * Locks: none. Only the master makes these calls. No call waits, and each does a constant amount of work, whatever the
 * peer wrote.
 */
#ifndef AMALGAM_CLUSTER_LANE_H
#define AMALGAM_CLUSTER_LANE_H

#include <errors.h>

#include "lane_half.h"

/* One end of a lane. Private to lane.c and lane_little.c but for `up`. */
struct lane {
    struct lane_half *ours;
    const struct lane_half *theirs;
    u32 epoch, peer_epoch; /* peer_epoch: the one that was accepted; 0: none */
    u32 sent, acknowledged, taken, peer_sent;
    u32 little, little_acknowledged, little_taken, peer_little;
    u32 little_number, little_next; /* of the next one that is sent; of the next one that the peer's slots offer */
    u8 n_waiting;                   /* how many were offered and not taken; their slots, oldest first: */
    u8 waiting[LANE_LITTLES];
    u8 n_left;    /* the first so many of them were left in their slots */
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
    u32 sent = h->sent, taken = h->taken, ask = h->ask, little = h->little, little_taken = h->little_taken;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 epoch = h->epoch;
    barrier();
    if (unlikely(!l->up || l->asked_at || epoch != l->peer_epoch || echo != l->epoch || ask != l->answer ||
                 !lane_is_possible(l, sent, taken) || little != l->little_taken ||
                 little_taken != l->little_acknowledged))
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

/* Count one more signal of kind i, and ring the peer. Returns false: the lane is not up, or the little slots
 * are used: a signal needs none, but who takes no messages takes no signals. */
static inline bool lane_signal(const struct lane *l, unsigned i)
{
    u32 *word = &l->ours->signal[i];
    if (unlikely(!l->up || !(~(l->little ^ l->little_acknowledged) & lane_bits(LANE_LITTLES))))
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

/* The same as lane_send() for a message of kind LANE_KIND_LITTLE. */
int lane_send_little(struct lane *l, const struct lane_message *m);
/* Get the n-th of the messages in little slots, oldest first, without removing it; call it for 0, 1, and so on.
 * -EAGAIN: there is none; -EBADMSG as above. */
int lane_peek_little(struct lane *l, unsigned n, struct lane_message *m);
/* Leave it in its slot: it is offered again with the next ones. */
void lane_leave_little(struct lane *l, unsigned n);
/* Remove it. */
void lane_take_little(struct lane *l, unsigned n);

/* Put a message into a slot and ring the peer. -EAGAIN: the lane is not up, or all slots of its kind are used. */
static inline int lane_send(struct lane *l, const struct lane_message *m)
{
    u32 sent = l->sent;
    if (m->kind == LANE_KIND_LITTLE)
        return lane_send_little(l, m);
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

/* Get the oldest message that is in no little slot, without removing it. Call lane_poll() before. -EAGAIN: there is
 * none; -EBADMSG as above. */
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
