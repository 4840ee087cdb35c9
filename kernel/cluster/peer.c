/* SPDX-License-Identifier: MIT */
/* peer.c - a lane to each other cluster; see peer.h. */
#include "peer.h"

#include <errors.h>
#include <hal/time.h>

#include "request.h"

static struct {
    struct lane lane;
    u8 losses;
    bool again;       /* poll it next time even if it has no news */
    u32 acknowledged; /* messages that it had taken at the last poll */
} peers[NOC_CLUSTERS];
static bool held, got;
static void nobody(unsigned node) {}
static const struct peer_part *parts[LANE_KINDS];
static void (*flush)(unsigned node) = nobody; /* one part's */

bool peers_held(void) { return held; }
bool peers_got(void) { return got; }

void peer_watch_start(struct peer_watch *w)
{
    for (unsigned n = 0; n < noc_clusters(); n++)
        w->seen[n] = peers[n].losses;
}

bool peer_watch_lost(struct peer_watch *w, unsigned node)
{
    bool lost = w->seen[node] != peers[node].losses;
    w->seen[node] = peers[node].losses;
    return lost;
}

void peers_start(void)
{
    for (unsigned n = 0; n < noc_clusters(); n++)
        if (n != noc_self())
            lane_start(&peers[n].lane, n);
}

__init_text void peer_listen(unsigned kind, const struct peer_part *part)
{
    parts[kind] = part;
    if (part->flush)
        flush = part->flush;
}

/* Pass a message to its part; a kind without a part is dropped. Returns false if the message must wait. */
static inline bool deliver(unsigned from, const struct lane_message *m)
{
    return !parts[m->kind] || parts[m->kind]->deliver(from, m);
}

static void lose(unsigned node)
{
    peers[node].losses++;
    for (unsigned i = 0; i < MESSAGE_KINDS; i++)
        if (parts[i] && parts[i]->lost)
            parts[i]->lost(node);
}

/* Take the messages that have come. Returns 0 or an error of the lane. */
static int receive(unsigned node, bool *any)
{
    struct lane *l = &peers[node].lane;
    for (unsigned i = 0; i < LANE_SLOTS; i++) {
        struct lane_message m;
        int err = lane_peek(l, &m);
        if (err)
            return err == -EAGAIN ? 0 : err;
        if (!deliver(node, &m)) {
            held = true;
            return 0;
        }
        lane_take(l);
        *any = got = true;
    }
    return 0;
}

static bool is_silent(const struct lane *l)
{
    return lane_asked_at(l) && time_now() - lane_asked_at(l) > time_from_ns(noc_patience());
}

/* Poll one lane. Returns whether anything has changed. */
static __noinline bool look(unsigned node)
{
    struct lane *l = &peers[node].lane;
    bool was_up = l->up, any = false;
    int err = -EAGAIN;
    for (unsigned i = 0; i < 2 && err == -EAGAIN;
         i++) /* twice, because the peer may have accepted this end's epoch before this end accepted the peer's */
        err = lane_poll(l);
    if (!err) {
        any = !was_up || l->acknowledged != peers[node].acknowledged;
        got |= was_up && any;
        if (any)
            flush(node);
        peers[node].acknowledged = l->acknowledged;
        err = receive(node, &any);
    }
    if (is_silent(l)) {
        lane_start(l, node);
        err = -ETIMEDOUT;
    }
    peers[node].again = lane_asked_at(l) || l->peer_sent != l->taken || (l->peer_epoch && !l->up);
    if (!err || err == -EAGAIN)
        return any;
    lose(node);
    return true;
}

bool peers_poll(void)
{
    bool any = false;
    unsigned self = noc_self(), end = noc_clusters();
    held = got = false;
    for (unsigned n = 0; n < end; n++)
        if (n != self && (!lane_is_quiet(&peers[n].lane) || peers[n].again))
            any |= look(n);
    return any;
}

void peer_ask(unsigned node)
{
    if (node == noc_self())
        return;
    lane_ask(&peers[node].lane);
    peers[node].again = true;
}

int peer_send(unsigned node, const struct lane_message *m)
{
    if (node == noc_self())
        return deliver(node, m) ? 0 : -EAGAIN;
    int err = lane_send(&peers[node].lane, m);
    if (err)
        peers[node].again = true; /* because the peer does not announce every message that it takes */
    return err;
}
