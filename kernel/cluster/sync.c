/* SPDX-License-Identifier: MIT */
/*
 * sync.c - one tells all, or all tell one.
 *
 * A sync is known by its type and its list of nodes, whose first is the one. A signal that comes before its sync was
 * made here is kept: at most EARLY lists of each sender, a further one is lost.
 */
#include <core/init.h>
#include <errors.h>
#include <string.h>

#include "comm.h"
#include "peer.h"

#define EARLY 4u

static struct sync {
    u8 users; /* descriptors that were given out for it */
    u8 early; /* its first signal came from here before it was made, and this; 0: it was made */
    u8 type, n;
    u8 node[NOC_CLUSTERS];
    u8 told[NOC_CLUSTERS]; /* signals of each of them that no wait has taken */
    bool waits;            /* made for waiting, else for signals */
    u16 owner;
    struct peer_watch watch;
} syncs[COMM_SYNCS];

static bool is_used(const struct sync *s) { return s->users || s->early; }

/* The place of a node in the list, or the list's length. */
static unsigned place(const struct sync *s, unsigned node)
{
    unsigned i = 0;
    while (i < s->n && s->node[i] != node)
        i++;
    return i;
}

/* Fill in a list from elsewhere: false, it is none. */
static bool read_list(struct sync *s, unsigned type, const u8 *node, unsigned n)
{
    u32 seen = 0;
    *s = (struct sync){ .type = (u8)type, .n = (u8)n };
    if (type > SYNC_ALL_TO_ONE || n < 2 || n > noc_clusters())
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (node[i] >= noc_clusters() || seen >> node[i] & 1)
            return false;
        seen |= 1u << node[i];
        s->node[i] = node[i];
    }
    return seen >> noc_self() & 1;
}

/* Whether a cluster waits on it, rather than signals. */
static bool waits_on(const struct sync *s, unsigned node)
{
    return (s->node[0] == node) == (s->type == SYNC_ALL_TO_ONE);
}

static struct sync *find(const struct sync *like)
{
    for (unsigned i = 0; i < COMM_SYNCS; i++)
        if (is_used(&syncs[i]) && syncs[i].type == like->type && syncs[i].n == like->n &&
            !memcmp(syncs[i].node, like->node, like->n))
            return &syncs[i];
    return NULL;
}

static struct sync *find_free(void)
{
    for (unsigned i = 0; i < COMM_SYNCS; i++)
        if (!is_used(&syncs[i]))
            return &syncs[i];
    return NULL;
}

static unsigned early_ones(unsigned from)
{
    unsigned n = 0;
    for (unsigned i = 0; i < COMM_SYNCS; i++)
        n += syncs[i].early == from + 1;
    return n;
}

static bool deliver(unsigned from, const struct lane_message *m)
{
    struct sync like;
    if (m->size < 2 || !read_list(&like, m->data[0], m->data + 1, m->size - 1u) || place(&like, from) == like.n ||
        from == noc_self() || waits_on(&like, from) || !waits_on(&like, noc_self()))
        return true; /* no signal: dropped */
    struct sync *s = find(&like);
    if (!s && early_ones(from) < EARLY && (s = find_free()) != NULL) {
        *s = like;
        s->early = (u8)(from + 1);
    }
    if (s && s->told[place(s, from)] < 0xff)
        s->told[place(s, from)]++;
    return true;
}

/* A descriptor for a list: the same one for the same list. */
static s64 make(struct comm *c, bool waits)
{
    struct sync like;
    if (!read_list(&like, c->type, c->data, c->size) || waits != waits_on(&like, noc_self()))
        return -EINVAL;
    struct sync *s = find(&like);
    if (s && s->users && s->owner != c->owner)
        return -EBUSY;
    if (!s && (s = find_free()) != NULL)
        *s = like;
    if (!s || s->users == 0xff)
        return -EAGAIN;
    if (!s->users)
        peer_watch_start(&s->watch);
    s->early = 0;
    s->owner = c->owner;
    s->waits = waits;
    s->users++;
    return s - syncs;
}

s64 sync_create(struct request *r) { return make(comm_of(r), true); }
s64 sync_open(struct request *r) { return make(comm_of(r), false); }

static struct sync *sync_of(const struct comm *c)
{
    struct sync *s = c->id < COMM_SYNCS ? &syncs[c->id] : NULL;
    return s && s->users && s->owner == c->owner ? s : NULL;
}

s64 sync_close(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (c->id >= COMM_SYNCS)
        return -EINVAL;
    if (!s || s->waits != !c->type)
        return -EBADF;
    s->users--;
    return 0;
}

s64 sync_signal(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (!s || s->waits)
        return -EBADF;
    unsigned first = s->type == SYNC_ALL_TO_ONE ? 0 : 1, end = s->type == SYNC_ALL_TO_ONE ? 1 : s->n;
    struct lane_message m = { .kind = MESSAGE_SIGNAL, .size = (u8)(s->n + 1) };
    m.data[0] = s->type;
    memcpy(m.data + 1, s->node, s->n);
    for (; first + c->at < end; c->at++)
        if (peer_send(s->node[first + c->at], &m))
            return request_pending(r, s->node[first + c->at]);
    return 0;
}

s64 sync_wait(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (!s || !s->waits)
        return -EBADF;
    unsigned first = s->type == SYNC_ALL_TO_ONE ? 1 : 0, end = s->type == SYNC_ALL_TO_ONE ? s->n : 1;
    for (unsigned i = first; i < end; i++)
        if (!s->told[i]) {
            r->peer = s->node[i];
            return peer_watch_lost(&s->watch, s->node[i]) ? -EIO : REQUEST_PENDING;
        }
    for (unsigned i = first; i < end; i++)
        s->told[i]--;
    return 0;
}

void sync_close_all(u16 owner)
{
    for (unsigned i = 0; i < COMM_SYNCS; i++)
        if (syncs[i].users && syncs[i].owner == owner)
            syncs[i].users = 0;
}

static __init_text void sync_init(void)
{
    static const struct peer_part part = { .deliver = deliver };
    peer_listen(MESSAGE_SIGNAL, &part);
}
INIT_CALL(sync_init);
