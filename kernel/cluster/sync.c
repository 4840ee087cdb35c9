/* SPDX-License-Identifier: MIT */
/*
 * sync.c - syncs: one cluster signals all others, or all others signal one.
 *
 * A sync is identified by its type, the one, and the set of its nodes: eight bytes, which are also the contents of its
 * signal. A signal that comes before its sync was made here is kept, for at most EARLY syncs of each sender; those for
 * further syncs are lost.
 */
#include <core/init.h>
#include <errors.h>

#include "comm.h"
#include "peer.h"

#define EARLY 4u

/* The identity of a sync, and the contents of its signal. */
union name {
    struct {
        u8 type, one, zero[2];
        u32 nodes; /* bits */
    };
    u64 word;
};
_Static_assert(sizeof(union name) == sizeof(u64) && NOC_CLUSTERS <= 32, "a signal is a word");

static struct sync {
    union name name;
    u32 told;  /* bits: nodes with a signal that no wait has taken */
    u32 twice; /* bits: those of them with more than one signal; more[] has how many more */
    u8 more[NOC_CLUSTERS];
    u8 users;   /* how many descriptors it has */
    u8 early;   /* the node + 1 whose signal came before it was made; 0: it was made */
    bool waits; /* it was made to wait; false: to signal */
    u16 owner;
    struct request *waiter; /* the request that waits; NULL: none */
    struct peer_watch watch;
} syncs[COMM_SYNCS];
static unsigned used; /* records from this index on are not used */

static bool is_used(const struct sync *s) { return s->users || s->early; }
static u32 bit(unsigned node) { return 1u << node; }

/* Returns whether the identity is valid and this cluster is one of its nodes. */
static bool is_right(const union name *k)
{
    u32 all = noc_clusters() < 32 ? bit(noc_clusters()) - 1 : ~0u, others = k->nodes & (k->nodes - 1);
    return k->type <= SYNC_ALL_TO_ONE && k->one < noc_clusters() && !k->zero[0] && !k->zero[1] && !(k->nodes & ~all) &&
           others && k->nodes & bit(k->one) && k->nodes & bit(noc_self());
}

/* Make the identity of a list, whose first node is the one. Returns false if the list is wrong. */
static bool read_list(union name *k, unsigned type, const u8 *node, unsigned n)
{
    *k = (union name){ .type = (u8)type, .one = node[0] };
    if (type > SYNC_ALL_TO_ONE || n < 2 || n > noc_clusters())
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (node[i] >= noc_clusters() || k->nodes & bit(node[i]))
            return false;
        k->nodes |= bit(node[i]);
    }
    return is_right(k);
}

/* Returns the nodes that signal; the others wait. */
static u32 signallers(const union name *k)
{
    return k->type == SYNC_ALL_TO_ONE ? k->nodes & ~bit(k->one) : bit(k->one);
}
static bool waits_on(const union name *k, unsigned node) { return !(signallers(k) & bit(node)); }

static struct sync *find(const union name *k)
{
    for (unsigned i = 0; i < used; i++)
        if (syncs[i].name.word == k->word && is_used(&syncs[i]))
            return &syncs[i];
    return NULL;
}

static struct sync *make_record(const union name *k)
{
    unsigned i = 0;
    while (i < COMM_SYNCS && is_used(&syncs[i]))
        i++;
    if (i == COMM_SYNCS)
        return NULL;
    used = MAX(used, i + 1);
    syncs[i] = (struct sync){ .name = *k };
    return &syncs[i];
}

static unsigned early_ones(unsigned from)
{
    unsigned n = 0;
    for (unsigned i = 0; i < used; i++)
        n += syncs[i].early == from + 1;
    return n;
}

static bool is_complete(const struct sync *s) { return !(signallers(&s->name) & ~s->told); }

/* Take one signal of each node. */
static void take(struct sync *s)
{
    s->told &= ~signallers(&s->name) | s->twice;
    for (unsigned i = 0; (u64)s->twice >> i; i++)
        if (s->twice >> i & 1 && !--s->more[i])
            s->twice &= ~bit(i);
}

static void note(struct sync *s, unsigned from)
{
    if (!(s->told & bit(from))) {
        s->told |= bit(from);
    } else if (s->more[from] < 0xff) {
        s->more[from]++;
        s->twice |= bit(from);
    }
    struct request *waiter = s->waiter;
    if (waiter && is_complete(s)) {
        s->waiter = NULL;
        take(s);
        request_finish(waiter, 0);
    }
}

static bool deliver(unsigned from, const struct lane_message *m)
{
    union name k;
    lane_copy(&k, m->data, sizeof(k));
    struct sync *s = m->size == sizeof(k) ? find(&k) : NULL;
    if (!s && (m->size != sizeof(k) || !is_right(&k)))
        return true; /* not a valid signal: drop it */
    if (!(signallers(&k) & bit(from)) || !waits_on(&k, noc_self()))
        return true;
    if (!s && early_ones(from) < EARLY && (s = make_record(&k)) != NULL)
        s->early = (u8)(from + 1);
    if (s)
        note(s, from);
    return true;
}

/* Make a descriptor for a list, the same one for the same list. */
static s64 make(struct comm *c, bool waits)
{
    union name k;
    if (!read_list(&k, c->type, c->data, c->size) || waits != waits_on(&k, noc_self()))
        return -EINVAL;
    struct sync *s = find(&k);
    if (s && s->users && s->owner != c->owner)
        return -EBUSY;
    if (!s)
        s = make_record(&k);
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

/* comm.at: the first node to which the signal was not sent yet. */
s64 sync_signal(struct request *r)
{
    struct comm *c = comm_of(r);
    const struct sync *s = sync_of(c);
    if (!s || s->waits)
        return -EBADF;
    const struct lane_message m = { .kind = MESSAGE_SIGNAL, .size = sizeof(s->name), .data = (const u8 *)&s->name };
    for (u64 waiters = s->name.nodes & ~signallers(&s->name); waiters >> c->at; c->at++)
        if (waiters >> c->at & 1 && peer_send(c->at, &m))
            return request_pending(r, c->at);
    return 0;
}

/* Returns one of the nodes: `last` if it is among them. */
static u8 first_of(u32 nodes, u8 last)
{
    if (last >= NOC_CLUSTERS || !(nodes >> last & 1))
        for (last = 0; !(nodes >> last & 1);)
            last++;
    return last;
}

static bool drop(struct request *r)
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
    if (is_complete(s)) {
        take(s);
        return 0;
    }
    r->peer = first_of(signallers(&s->name) & ~s->told, r->peer);
    r->drop = drop;
    if (peer_watch_lost(&s->watch, r->peer)) {
        drop(r);
        return -EIO;
    }
    if (!s->waiter)
        s->waiter = r;
    return REQUEST_PENDING;
}

void sync_close_all(u16 owner)
{
    for (unsigned i = 0; i < used; i++)
        if (syncs[i].users && syncs[i].owner == owner)
            syncs[i].users = 0;
}

static __init_text void sync_init(void)
{
    static const struct peer_part part = { .deliver = deliver };
    peer_listen(MESSAGE_SIGNAL, &part);
}
INIT_CALL(sync_init);
