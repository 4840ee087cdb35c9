/* SPDX-License-Identifier: MIT */
/*
 * sync.c - syncs: one cluster signals all others, or all others signal one. Which there are: sync_table.c.
 *
 * A signal that comes before its sync was made here is kept, for a few syncs of each sender. One for which there is no
 * room stays in its slot of the lane until there is, and its sender waits if it has no other slot for signals. A
 * signal that no wait has taken is forgotten when its sender is lost: it is none of the sender's next life. The first
 * signal of a sync that has a number is a message with its name, which tells each waiting cluster the number, too. From
 * then on a signal is one word of the lane (lane.h), counted up: the waiter's master reads this word of just those
 * clusters that it waits for (tests/model/signal_word.pml). Words know no end of their room, so each BY_MESSAGE-th
 * signal is a message again: who signals a cluster that is dead is told so.
 */
#include <core/init.h>
#include <errors.h>

#include "sync.h"

#define BY_MESSAGE 32u

static u32 glimpsed[NOC_CLUSTERS]; /* the sum of each one's words when nobody waited for them */

enum { BEGIN, WORDS, MESSAGES }; /* comm.type of a signal */

static inline u32 missing(const struct sync *s) { return s->from & ~s->got.told; }

/* Take one signal of each node. */
static inline void take(struct sync *s)
{
    struct sync_signals *got = &s->got;
    got->told &= ~s->from | got->twice;
    for (unsigned i = 0; (u64)got->twice >> i; i++)
        if (got->twice >> i & 1 && !--got->more[i])
            got->twice &= ~sync_bit(i);
}

/* Finish the request that waits, if all signals that it needs have come. */
static inline void finish_if_complete(struct sync *s)
{
    struct request *waiter = s->waiter;
    if (!waiter || missing(s))
        return;
    s->waiter = NULL;
    take(s);
    request_finish(waiter, 0);
}

/* A signal that came as a message. Returns false if no more can be counted. */
static bool note(struct sync_signals *got, unsigned from)
{
    if (!(got->told & sync_bit(from))) {
        got->told |= sync_bit(from);
    } else {
        if (got->more[from] == 0xff)
            return false;
        got->more[from]++;
        got->twice |= sync_bit(from);
    }
    return true;
}

/* Take the signals that came as words from nodes whose signal is missing. Returns whether there was one. */
static inline bool gather(struct sync *s)
{
    u32 found = peers_take_signals(missing(s), s->number);
    s->got.told |= found;
    return found;
}

/* Those that nobody waits for yet stay in their words, but whoever rang for them did not ring in vain. */
static bool signals(bool found)
{
    for (struct sync *s = syncs, *end = s + syncs_used; s != end; s++)
        if (s->waiter && gather(s)) {
            found = true;
            finish_if_complete(s);
        }
    for (unsigned n = 0; n < noc_clusters() && !found; n++) {
        u32 sum = syncs_theirs[n][0].word ? peer_signals_glimpse(n) : 0;
        found = sum != glimpsed[n] && !peer_signals_pile_up(n, sum);
        glimpsed[n] = sum;
    }
    return found;
}

/* m->to: the number + 1 by which further signals may come; 0: none. */
static bool sync_deliver(unsigned from, const struct lane_message *m)
{
    union sync_name k;
    lane_copy(&k, m->data, sizeof(k));
    if (!lane_is_whole(m))
        return true;
    struct sync *s = m->size == sizeof(k) ? sync_find(&k) : NULL;
    if (!s && (m->size != sizeof(k) || !sync_is_right(&k)))
        return true; /* not a valid signal: drop it */
    if (!(sync_signallers(&k) & sync_bit(from)) || !sync_waits_on(&k, noc_self()))
        return true;
    struct sync_early *e = s ? NULL : sync_find_early(&k, from);
    struct sync_signals *got = s ? &s->got : e ? &e->got : NULL;
    if (!got || !note(got, from))
        return false;
    if (m->to && m->to <= LANE_SIGNALS)
        sync_name_number(from, m->to, &k, s);
    if (s)
        finish_if_complete(s);
    return true;
}

/* A signal as a message, which also tells the number. */
static __noinline int send(const struct sync *s, unsigned node)
{
    const struct lane_message m = {
        .kind = MESSAGE_SIGNAL, .to = s->own, .size = sizeof(s->name), .data = (const u8 *)&s->name
    };
    int err = peer_send(node, &m);
    if (!err && s->own)
        syncs_known[s->own - 1] |= sync_bit(node);
    return err;
}

/* A signal that some have and others have not goes on. */
static bool drop_signal(struct request *r, bool ends)
{
    struct sync *s = sync_of(comm_of(r));
    if (ends || !s || (u32)comm_of(r)->user != (s->name.nodes & ~s->from))
        return ends;
    s->times--;
    return true;
}

/* Tell each of these nodes that can be told now, by a message. Returns those that cannot. */
static __noinline u32 send_all(const struct sync *s, u32 nodes)
{
    for (unsigned n = 0; (u64)nodes >> n; n++)
        if (nodes >> n & 1 && !send(s, n))
            nodes &= ~sync_bit(n);
    return nodes;
}

/* Returns the nodes that a signal which begins has to tell. */
static inline u32 begin(struct comm *c, struct sync *s)
{
    c->type = s->own && s->times++ % BY_MESSAGE ? WORDS : MESSAGES;
    return s->name.nodes & ~s->from;
}

static __noinline s64 wait_for(struct request *r, u32 left)
{
    struct comm *c = comm_of(r);
    unsigned first = 0;
    while (!(left >> first & 1))
        first++;
    c->user = left;
    r->drop = drop_signal;
    s64 result = request_pending(r, first);
    r->peers = left;
    return result == -ETIMEDOUT && c->size ? -EIO : result;
}

/* comm.user: bits, the nodes that were not told yet. A node that was lost is not told, because its next life did not
 * begin this sync with us; the result says so when all others are told. */
s64 sync_signal(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (!s || s->waits)
        return -EBADF;
    u32 left = c->type == BEGIN ? begin(c, s) : (u32)c->user, named = 0;
    if (unlikely(s->watch.lost & left)) {
        left &= ~peer_watch_take(&s->watch, left);
        c->size = 1;
    }
    if (c->type == WORDS)
        named = left & syncs_known[s->own - 1];
    left &= ~named;
    if (named)
        named = peers_signal(named, s->own - 1u);
    if (left)
        left = send_all(s, left);
    if (unlikely(left | named))
        return wait_for(r, left | named);
    return c->size ? -EIO : 0;
}

static bool drop(struct request *r, bool ends)
{
    struct sync *s = sync_of(comm_of(r));
    if (s && s->waiter == r)
        s->waiter = NULL;
    return true;
}

s64 sync_wait(struct request *r)
{
    struct sync *s = sync_of(comm_of(r));
    if (!s || !s->waits)
        return -EBADF;
    gather(s);
    if (s->waiter != r)
        finish_if_complete(s); /* who came first */
    u32 left = missing(s);
    if (!left) {
        drop(r, false);
        take(s);
        return 0;
    }
    r->peers = left;
    r->drop = drop;
    if (peer_watch_take(&s->watch, left)) {
        drop(r, false);
        return -EIO;
    }
    if (!s->waiter)
        s->waiter = r;
    return REQUEST_PENDING;
}

static __init_text void sync_init(void)
{
    static const struct peer_part part = { .deliver = sync_deliver, .lost = sync_lose, .signals = signals };
    peer_listen(MESSAGE_SIGNAL, &part);
}
INIT_CALL(sync_init);
