/* SPDX-License-Identifier: MIT */
/* peer.c - a lane to each other cluster; see peer.h. Its words for signals: peer_signals.c; who sends: peer_owners.c.
 */
#include "peers.h"

#include <core/domain.h>
#include <errors.h>
#include <hal/time.h>

#include "lane_notice.h"
#include "request.h"

struct peer peers[NOC_CLUSTERS];
static bool held, got;
static bool slow;     /* a reader of this cluster, among those of the messages that are being delivered */
static bool slow_own; /* of the last message from this cluster */
static bool nobody(unsigned from, const struct lane_message *m) { return true; }
static const struct peer_part none_there = { .deliver = nobody }, *mails = &none_there;
static const struct peer_part *parts[MESSAGE_KINDS];
static bool none(bool found) { return false; }
static bool (*signals)(bool found) = none; /* one part's */

bool peers_held(void) { return held; }
bool peers_got(void) { return got; }

void peers_start(void)
{
    for (unsigned n = 0; n < noc_clusters(); n++)
        if (n != noc_self())
            lane_start(&peers[n].lane, n);
}

__init_text void peer_listen(unsigned kind, const struct peer_part *part)
{
    parts[kind / 2] = part;
    if (kind == MESSAGE_MAIL)
        mails = part;
    if (part->signals)
        signals = part->signals;
}

/* Pass a message to its part; a kind without a part is dropped. Returns false if the message must wait. */
static inline bool peer_deliver(unsigned from, const struct lane_message *m)
{
    const struct peer_part *part = parts[m->kind / 2];
    return !part || part->deliver(from, m);
}

static __cold void lose(unsigned node)
{
    for (unsigned i = 0; i < MESSAGE_KINDS; i++)
        if (parts[i] && parts[i]->lost)
            parts[i]->lost(node);
}

/* Take those of a row; those that must wait stay in their slots. */
static __noinline int receive_row(struct lane *l, unsigned row, bool *any)
{
    const u32 bits = row == LANE_MAILS ? LANE_SLOT_BITS : LANE_LITTLE_BITS;
    for (unsigned n = 0, taken = 0; taken < LANE_SLOTS && lane_used(l) & bits;) {
        struct lane_message m;
        int err = lane_peek(l, row, n, &m);
        if (err)
            return err == -EAGAIN ? 0 : err;
        if (peer_deliver(l->peer, &m)) {
            lane_take(l, row, n);
            taken++;
            *any = got = true;
        } else {
            held = true;
            lane_leave(l, row, n++);
        }
    }
    return 0;
}

/* Take the mails that have come. Returns 0 or an error of the lane. */
static inline int receive(struct lane *l, bool *any)
{
    unsigned n = 0;
    if (!(lane_used(l) & LANE_SLOT_BITS))
        return 0;
    do {
        struct lane_message m;
        if (unlikely(!lane_peek_usual(l, &m) || !mails->deliver(l->peer, &m)))
            return receive_row(l, LANE_MAILS, any);
        lane_take_usual(l);
        *any = got = true;
    } while (++n < LANE_SLOTS && lane_used(l) & LANE_SLOT_BITS);
    return 0;
}

/* Take signals, and notices of data in the peer's buffers, and this cluster's buffers that it has given back since
 * `taken`. */
static __noinline int receive_others(struct lane *l, u32 taken, bool *any)
{
    const struct peer_part *part = parts[MESSAGE_PAGES / 2];
    struct lane_page page[LANE_BUFFERS];
    u32 given = lane_given_back(l, taken);
    if (part && given)
        part->given_back(l->peer, given);
    int n = lane_take_notices(l, page);
    if (n < 0)
        return n;
    if (n) {
        *any = got = true;
        if (part)
            part->note(l->peer, page, (unsigned)n);
    }
    return lane_used(l) & LANE_LITTLE_BITS ? receive_row(l, LANE_SIGNALLED, any) : 0;
}

static inline bool is_silent(const struct lane *l)
{
    return lane_asked_at(l) && time_now() - lane_asked_at(l) >= time_from_ns(noc_patience());
}

/* The same as look() where a lane comes up, a peer asks or is asked, messages wait in their slots, or something is
 * wrong. */
static __noinline int look_closely(struct lane *l, bool *any)
{
    const bool was_up = l->up;
    const union lane_places before = l->seen;
    int err = -EAGAIN;
    for (unsigned i = 0; i < 2 && err == -EAGAIN;
         i++) /* twice, because the peer may have accepted this end's epoch before this end accepted the peer's */
        err = lane_poll(l);
    if (!err) {
        *any = !was_up || l->seen.taken != before.taken;
        got |= was_up && *any;
        u32 others = (before.taken ^ l->seen.taken) | (l->seen.put ^ l->noted) | (lane_used(l) & LANE_LITTLE_BITS);
        err = others & (LANE_BUFFER_BITS | LANE_LITTLE_BITS) ? receive_others(l, before.taken, any) : 0;
        err = err ? err : receive_row(l, LANE_MAILS, any);
    }
    if (is_silent(l)) {
        lane_give_up(l);
        err = -ETIMEDOUT;
    }
    return err == -EAGAIN ? 0 : err;
}

/* The same where a lane is up and anything has come or was taken, if it has. */
static inline int look_usually(struct lane *l, u64 before, bool *any)
{
    const union lane_places was = { .both = before }, changed = { .both = before ^ l->seen.both };
    if (changed.taken)
        *any = got = true;
    const u32 others = (changed.put | changed.taken) & (LANE_BUFFER_BITS | LANE_LITTLE_BITS);
    int err = unlikely(others) ? receive_others(l, was.taken, any) : 0;
    return err ? err : receive(l, any);
}

/* The peer has changed what is read for that only. */
static __cold __noinline void look_rarely(const struct lane *l)
{
    const struct peer_part *part = parts[MESSAGE_PAGES / 2];
    u32 wanted = l->up ? lane_wanted_back(l) : 0;
    if (part && wanted)
        part->want_back(l->peer, wanted);
}

/* Poll one lane. Returns whether anything has changed. */
static __noinline bool look(struct peer *p)
{
    struct lane *l = &p->lane;
    const u64 before = l->seen.both;
    bool any = false;
    int err;
    if (likely(lane_poll_usual(l)))
        err = look_usually(l, before, &any);
    else
        err = look_closely(l, &any);
    if (unlikely(lane_is_told_rarely(l))) {
        look_rarely(l);
        any = true;
    }
    if (unlikely(slow | l->slow)) {
        lane_say_slow(l, slow);
        slow = false;
    }
    p->again = (l->seen.put & LANE_LOOK_CLOSELY && (l->up || l->peer_epoch)) || lane_used(l) & LANE_SLOT_BITS;
    if (likely(!err))
        return any;
    lose(l->peer);
    return true;
}

__noinline bool peers_poll(void)
{
    bool any = false;
    unsigned self = noc_self(), end = noc_clusters();
    held = got = false;
    for (unsigned n = 0; n < end; n++)
        if (n != self && (!lane_is_quiet(&peers[n].lane) || peers[n].again))
            any |= look(&peers[n]);
    if (signals(got))
        any = got = true;
    return any;
}

void peer_ask(unsigned node)
{
    if (node == noc_self())
        return;
    lane_ask(&peers[node].lane);
    peers[node].again = true;
}

void peer_wait_for_reader(void) { slow = true; }

__cold bool peer_is_slow(unsigned node) { return node == noc_self() ? slow_own : lane_is_slow(&peers[node].lane); }

bool peer_stays(unsigned node)
{
    struct peer *p = &peers[node];
    if (node == noc_self() || lane_half_is(p->lane.theirs, p->lane.peer_epoch))
        return true;
    lanes_dropped++;
    look(p);
    return false;
}

/* Returns whether a mail may have a slot. The last ones, one for each process, are for processes that have none; and
 * one before them is for a port for which its process has none. So a port that nobody reads keeps no other process and
 * no other port from sending. */
static __noinline bool may_send(const struct lane *l, const struct lane_message *m)
{
    bool has = false, to_port = false;
    const unsigned last = MIN(n_domains, LANE_RING);
    unsigned free = 0;
    for (unsigned i = 0; i < LANE_SLOTS; i++) {
        const struct lane_slot *s = &l->ours->slot[i];
        if (lane_free(l) >> (i + LANE_SLOT_AT) & 1) {
            free++;
        } else if (peer_domain(s->of) == peer_domain(m->of)) {
            has = true;
            to_port |= (s->head >> 8 & 0xff) == m->to;
        }
    }
    return free > last || !has || (free == last && !to_port);
}

static inline bool is_plenty(u32 free) { return n_domains == 1 && free & (free - 1); }

int peer_send(unsigned node, const struct lane_message *m)
{
    if (node == noc_self()) {
        bool taken = peer_deliver(node, m);
        slow_own = slow;
        slow = false;
        return taken ? 0 : -EAGAIN;
    }
    struct lane *l = &peers[node].lane;
    u32 free = lane_free(l) & LANE_SLOT_BITS;
    bool may = m->kind || is_plenty(free) || may_send(l, m);
    int err = likely(may) ? lane_send(l, m) : -EAGAIN;
    if (err)
        peers[node].again = true; /* because the peer does not announce every message that it takes */
    return err;
}

u32 peer_notify(unsigned node, unsigned ports, u32 of, const struct dma_page *page, unsigned n)
{
    if (node != noc_self())
        return lane_notify(&peers[node].lane, ports, of, page, n);
    u32 told = 0;
    for (const struct dma_page *end = page + n; page != end; page++) {
        parts[MESSAGE_PAGES / 2]->note(node, &(struct lane_page){ of, page->size, (u8)ports, page->buffer }, 1);
        told |= 1u << page->buffer;
    }
    return told;
}

void peer_give_back(unsigned node, u32 buffers)
{
    if (node == noc_self())
        parts[MESSAGE_PAGES / 2]->given_back(node, buffers);
    else
        lane_give_back(&peers[node].lane, buffers);
}

__cold void peer_want_back(unsigned node, u32 buffers)
{
    if (node == noc_self())
        parts[MESSAGE_PAGES / 2]->want_back(node, buffers);
    else
        lane_want_back(&peers[node].lane, buffers);
}
