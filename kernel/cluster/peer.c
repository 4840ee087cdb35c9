/* SPDX-License-Identifier: MIT */
/* peer.c - a lane to each other cluster; see peer.h. */
#include "peer.h"

#include <errors.h>
#include <hal/time.h>

#include "request.h"

static struct peer {
    struct lane lane;
    bool again; /* poll it next time even if it has no news */
} peers[NOC_CLUSTERS];
static bool held, got;
static bool slow;     /* a reader of this cluster, among those of the messages that are being delivered */
static bool slow_own; /* of the last message from this cluster */
static void nobody(unsigned node) {}
static const struct peer_part *parts[LANE_KINDS];
static bool none(bool found) { return false; }
static void (*flush)(unsigned node) = nobody; /* one part's */
static bool (*signals)(bool found) = none;    /* one part's */

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
    if (part->flush)
        flush = part->flush;
    if (part->signals)
        signals = part->signals;
}

/* Pass a message to its part; a kind without a part is dropped. Returns false if the message must wait. */
static inline bool deliver(unsigned from, const struct lane_message *m)
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

/* Take those in little slots; those that must wait stay there. */
static __noinline int receive_little(struct lane *l, bool *any)
{
    for (unsigned n = 0; l->peer_little != l->little_taken;) {
        struct lane_message m;
        int err = lane_peek_little(l, n, &m);
        if (err)
            return err == -EAGAIN ? 0 : err;
        if (deliver(l->peer, &m)) {
            lane_take_little(l, n);
            *any = got = true;
        } else {
            held = true;
            lane_leave_little(l, n++);
        }
    }
    return 0;
}

/* Take the messages that have come. Returns 0 or an error of the lane. */
static inline int receive(struct lane *l, bool *any)
{
    int err;
    for (unsigned i = 0; i < LANE_SLOTS; i++) {
        struct lane_message m;
        err = lane_peek(l, &m);
        if (err)
            return err == -EAGAIN ? 0 : err;
        if (!deliver(l->peer, &m)) {
            held = true;
            return 0;
        }
        lane_take(l);
        *any = got = true;
    }
    return 0;
}

static inline bool is_silent(const struct lane *l)
{
    return lane_asked_at(l) && time_now() - lane_asked_at(l) >= time_from_ns(noc_patience());
}

/* There may be room in the lane again. */
static inline bool note_taken(const struct lane *l)
{
    flush(l->peer);
    return true;
}

/* The same as look() where a lane comes up, a peer asks or is asked, signals have come or were taken, or something is
 * wrong. */
static __noinline int look_closely(struct lane *l, bool *any)
{
    bool was_up = l->up;
    u32 acknowledged = l->acknowledged, little = l->little_acknowledged;
    int err = -EAGAIN;
    for (unsigned i = 0; i < 2 && err == -EAGAIN;
         i++) /* twice, because the peer may have accepted this end's epoch before this end accepted the peer's */
        err = lane_poll(l);
    if (!err) {
        if (!was_up || l->acknowledged != acknowledged || l->little_acknowledged != little)
            *any = note_taken(l);
        got |= was_up && *any;
        err = receive_little(l, any);
        err = err ? err : receive(l, any);
    }
    if (is_silent(l)) {
        lane_give_up(l);
        err = -ETIMEDOUT;
    }
    return err == -EAGAIN ? 0 : err;
}

/* Poll one lane. Returns whether anything has changed. */
static __noinline bool look(struct peer *p)
{
    struct lane *l = &p->lane;
    bool any = false;
    u32 acknowledged = l->acknowledged;
    int err;
    if (likely(lane_poll_usual(l))) {
        if (l->acknowledged != acknowledged)
            any = got = note_taken(l);
        err = receive(l, &any);
    } else {
        err = look_closely(l, &any);
    }
    if (unlikely(lane_has_left(l)))
        any = true;
    if (unlikely(slow | l->slow)) {
        lane_say_slow(l, slow);
        slow = false;
    }
    p->again =
        lane_asked_at(l) || l->peer_sent != l->taken || l->peer_little != l->little_taken || (!l->up && l->peer_epoch);
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

static u32 *line_for(unsigned node) { return ((struct lane_owners *)noc_outbox() + noc_self())->of[node]; }

/* The line for a cluster has changed. */
static __cold void tell_owners(unsigned node, bool left)
{
    noc_clean_line(line_for(node));
    if (left && node != noc_self())
        lane_say_left(&peers[node].lane);
}

__cold void peer_set_owner(unsigned node, unsigned own, u32 of)
{
    u32 *line = line_for(node), before = line[own];
    WRITE_ONCE(line[own], of);
    tell_owners(node, before && before != of);
}

__cold void peer_end_owner(unsigned owner)
{
    for (unsigned n = 0; n < noc_clusters(); n++) {
        u32 *line = line_for(n);
        bool any = false;
        for (unsigned own = 0; own < LANE_PORTS; own++)
            if (line[own] && peer_domain(line[own]) == owner) {
                WRITE_ONCE(line[own], 0);
                any = true;
            }
        if (any)
            tell_owners(n, true);
    }
}

__cold u32 peer_owner(unsigned node, unsigned own)
{
    if (node == noc_self())
        return line_for(node)[own];
    const u32 *line = ((const struct lane_owners *)noc_outbox_of(node) + node)->of[noc_self()];
    noc_poll(line);
    return READ_ONCE(line[own]);
}

/* A cluster counts what it sends before it says that the sender has left. */
__cold bool peer_has_left(unsigned node, unsigned own, u32 of)
{
    const struct lane *l = &peers[node].lane;
    if (peer_owner(node, own) == of)
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return node == noc_self() || (lane_is_quiet(l) && l->peer_sent == l->taken);
}

bool peer_stays(unsigned node)
{
    struct peer *p = &peers[node];
    if (node == noc_self() || lane_half_is(p->lane.theirs, p->lane.peer_epoch))
        return true;
    lanes_dropped++;
    look(p);
    return false;
}

int peer_send(unsigned node, const struct lane_message *m)
{
    if (node == noc_self()) {
        bool taken = deliver(node, m);
        slow_own = slow;
        slow = false;
        return taken ? 0 : -EAGAIN;
    }
    int err = lane_send(&peers[node].lane, m);
    if (err)
        peers[node].again = true; /* because the peer does not announce every message that it takes */
    return err;
}

u32 peers_signal(u32 nodes, unsigned i)
{
    u32 down = 0, bit = 1;
    for (struct peer *p = peers; nodes; p++, nodes >>= 1, bit <<= 1)
        if (nodes & 1 && !lane_signal(&p->lane, i)) {
            p->again = true;
            down |= bit;
        }
    return down;
}

u32 peers_take_signals(u32 nodes, const u8 *kinds)
{
    u32 found = 0, bit = 1;
    for (struct peer *p = peers; nodes; p++, kinds++, nodes >>= 1, bit <<= 1)
        if (nodes & 1 && *kinds && lane_take_signal(&p->lane, *kinds - 1u))
            found |= bit;
    return found;
}

void peer_drop_signals(unsigned node, unsigned i) { lane_drop_signals(&peers[node].lane, i); }

u32 peer_signals_glimpse(unsigned node)
{
    const struct lane_half *h = peers[node].lane.theirs;
    u32 sum = 0;
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        sum += READ_ONCE(h->signal[i]);
    return sum;
}

bool peer_signals_pile_up(unsigned node, u32 glimpse)
{
    const struct lane *l = &peers[node].lane;
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        glimpse -= l->signalled[i];
    return glimpse > LANE_SLOTS * LANE_STEP;
}
