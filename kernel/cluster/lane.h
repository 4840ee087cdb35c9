/* SPDX-License-Identifier: MIT */
/*
 * lane.h - messages between two clusters, by words that have one writer each (docs/manycore.md).
 *
 * A lane has two halves. The half in this cluster's outbox carries its messages and acknowledges the peer's; the half
 * in the peer's outbox does the same in the other direction. Each cluster has one `struct lane` for each peer, in its
 * own memory.
 *
 * Each kind of message has places of its own, so that none waits for another kind that nobody reads: mails eight slots,
 * signals two little ones (lane_slots.c), or words without a place (lane_signal.h), and of data in buffers there is a
 * notice beside each buffer, which needs no slot (lane_notice.h). A place is used while its bit in `put` and its bit in
 * `taken` differ. The receiver may leave a message in its slot and take later ones before it. Mostly it takes each when
 * it comes; this way is in line here.
 *
 * Locks: none. Only the master makes these calls. No call waits, and each does a constant amount of work, whatever the
 * peer wrote.
 */
#ifndef AMALGAM_CLUSTER_LANE_H
#define AMALGAM_CLUSTER_LANE_H

#include <errors.h>

#include "lane_half.h"

#define LANE_LOOK_CLOSELY 1u /* in seen.put: lane_poll_usual() does not do */

/* The messages in slots of one size. */
struct lane_row {
    u32 number, next; /* of the next one that is sent; of the next one that the peer's slots offer */
    u8 n_waiting;     /* how many were offered and not taken; their slots, oldest first: */
    u8 waiting[LANE_SLOTS];
    u8 n_left; /* the first so many of them were left in their slots */
};
enum { LANE_MAILS, LANE_SIGNALLED, LANE_ROWS };

/* One end of a lane. Private to lane*.c but for `up`, `peer` and `seen`. */
struct lane {
    struct lane_half *ours;
    const struct lane_half *theirs;
    u32 epoch, peer_epoch;  /* peer_epoch: the one that was accepted; 0: none */
    union lane_places own;  /* what `ours` has */
    union lane_places seen; /* what the peer's half had at the last look, and LANE_LOOK_CLOSELY */
    struct lane_row row[LANE_ROWS];
    u32 noted;             /* of seen.put: the buffers whose notices were taken */
    u32 notified, noticed; /* the number of the next notice that is sent; of the next one that is taken */
    u8 notice_at;          /* where it is looked for first */
    u32 restarts;          /* of this end, in this life of its cluster */
    u32 heard_of;          /* the newest life of the peer's cluster that it has said */
    u32 asked;
    u32 answer;                  /* what `ours` has: the peer's last question */
    u32 rare;                    /* the peer's, as this end has seen it */
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

/*
 * lane_poll() where the lane is up, nobody asks, no message waits in its slot, and the peer's words are of this run.
 * Returns false in all other cases: then lane_poll() is next. Each word is read once, between barriers, in
 * lane_poll()'s order.
 */
static inline bool lane_poll_usual(struct lane *l)
{
    const struct lane_half *h = l->theirs;
    u32 news = h->news;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 echo = h->echo;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    union lane_places places = { .both = h->places.both };
    u32 ask = h->ask;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    u32 epoch = h->epoch;
    barrier();
    const union lane_places odd = { { LANE_LOOK_CLOSELY, LANE_LOOK_CLOSELY } };
    if (unlikely((places.both ^ l->seen.both) & odd.both || epoch != l->peer_epoch || echo != l->epoch ||
                 ask != l->answer))
        return false;
    l->heard = news;
    l->seen = places;
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

/* Tell the peer of words that it reads only then. */
static inline void lane_tell_rarely(struct lane *l)
{
    lane_publish(l, &l->ours->rare, l->ours->rare + LANE_STEP);
    lane_tell(l);
}
/* Returns whether the peer has done so since the last call, as the last lane_is_quiet() saw it. */
static inline bool lane_is_told_rarely(struct lane *l)
{
    u32 rare = READ_ONCE(l->theirs->rare);
    if (likely(rare == l->rare))
        return false;
    l->rare = rare;
    return true;
}

/* Returns the bits of this end's places that are not used, as of the last lane_poll(). */
static inline u32 lane_free(const struct lane *l) { return ~(l->own.put ^ l->seen.taken); }
/* Returns the bits of the peer's that are. */
static inline u32 lane_used(const struct lane *l) { return l->own.taken ^ l->seen.put; }

/* Say that these places are used now, and ring the peer. */
static inline void lane_put(struct lane *l, u32 bits)
{
    lane_publish(l, &l->ours->places.put, l->own.put ^= bits);
    lane_tell(l);
}

/* Put a message into slot i. The lane is up, and the slot is free. */
static inline void lane_put_mail(struct lane *l, size_t i, const struct lane_message *m)
{
    struct lane_slot *s = &l->ours->slot[i];
    u32 number = l->row[LANE_MAILS].number;
    s->number = number;
    s->head = m->head;
    s->of = m->of;
    size_t size = m->size;
    /* Bytes behind the data in the slot are from an older message to the same peer. */
    lane_copy(s->data, m->data, size);
    noc_clean_line(s);
    for (size_t at = NOC_LINE; at < offsetof(struct lane_slot, data) + size; at += NOC_LINE)
        noc_clean_line((const char *)s + at);
    l->row[LANE_MAILS].number = number + LANE_STEP;
    lane_put(l, 1u << (i + LANE_SLOT_AT));
}

/* The same as lane_send() for a little message. */
int lane_send_little(struct lane *l, const struct lane_message *m);
/* Returns a slot that is free; LANE_SLOTS: there is none. */
size_t lane_free_slot(const struct lane *l);

/* Put a message into a slot and ring the peer. -EAGAIN: the lane is not up, or all slots of its kind are used. */
static inline int lane_send(struct lane *l, const struct lane_message *m)
{
    size_t i = l->row[LANE_MAILS].number / LANE_STEP % LANE_SLOTS;
    if (m->kind)
        return lane_send_little(l, m);
    if (unlikely(!(lane_free(l) >> (i + LANE_SLOT_AT) & 1)))
        i = lane_free_slot(l);
    if (unlikely(!l->up || i == LANE_SLOTS))
        return -EAGAIN;
    lane_put_mail(l, i, m);
    return 0;
}

/* Get the n-th of the messages of a row that wait in slots, oldest first, without removing it; call it for 0, 1, and so
 * on. Call lane_poll() before. -EAGAIN: there is none; -EBADMSG as above. */
int lane_peek(struct lane *l, unsigned row, unsigned n, struct lane_message *m);
/* Leave it in its slot: it is offered again with the next ones. */
void lane_leave(struct lane *l, unsigned row, unsigned n);
/* Remove it. */
void lane_take(struct lane *l, unsigned row, unsigned n);

/* Returns whether a mail of that life of a process is in its slot. */
bool lane_has_mail_of(const struct lane *l, u32 of);

/* One comparison for kind and ports: each port is below a power of two. */
static inline bool lane_is_mail(struct lane_message m)
{
    const u32 most = (LANE_PORTS - 1) << 8 | (LANE_PORTS - 1) << 16 | 0xffu << 24;
    return !(m.head & ~most) && m.size - 1u < LANE_DATA;
}

/* Get what is in slot i but its number. */
static inline void lane_read(const struct lane *l, const struct lane_slot *s, struct lane_message *m)
{
    m->of = READ_ONCE(s->of);
    m->data = s->data;
    m->half = l->theirs;
    m->epoch = l->peer_epoch;
}

/* The same as lane_peek() for mails while none waits, if the next one is in the next slot. Returns false if it is not:
 * then lane_peek() is next. There is a mail. */
static inline bool lane_peek_usual(const struct lane *l, struct lane_message *m)
{
    u32 next = l->row[LANE_MAILS].next;
    const struct lane_slot *s = &l->theirs->slot[next / LANE_STEP % LANE_SLOTS];
    noc_invalidate_line(s);
    u32 number = READ_ONCE(s->number);
    m->head = READ_ONCE(s->head);
    if (unlikely(number != next || !lane_is_mail(*m)))
        return false;
    for (size_t at = NOC_LINE, size = m->size; at < offsetof(struct lane_slot, data) + size; at += NOC_LINE)
        noc_invalidate_line((const char *)s + at);
    lane_read(l, s, m);
    return true;
}

#define LANE_RING (LANE_SLOTS / 2) /* a sender that finds fewer slots used does not wait for one */

/* Remove it. A peer that waits for a free slot waits for a ring, which must come within LANE_RING takes. It is not
 * enough to ring if so many slots were used at this take, because the peer may have filled the last one since. */
static inline void lane_take_usual(struct lane *l)
{
    size_t next = l->row[LANE_MAILS].next / LANE_STEP, i = next % LANE_SLOTS;
    l->row[LANE_MAILS].next += LANE_STEP;
    lane_publish(l, &l->ours->places.taken, l->own.taken ^= 1u << (i + LANE_SLOT_AT));
    if (!((next + 1) % LANE_RING))
        lane_tell(l);
}

/* Returns whether the lane's half still is of the life that was accepted. */
static inline bool lane_half_is(const struct lane_half *half, u32 epoch)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the copy before the epoch */
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

#endif
