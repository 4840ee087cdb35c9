/* SPDX-License-Identifier: MIT */
/*
 * sync.c - syncs: one cluster signals all others, or all others signal one.
 *
 * A sync is identified by its type, the one, and the set of its nodes: eight bytes, its name, which are also the
 * contents of its signal. A signal that comes before its sync was made here is kept, for at most EARLY syncs of each
 * sender; those for further syncs are lost.
 *
 * The first LANE_SIGNALS syncs that a cluster signals have a number there. A message with the name tells each waiting
 * cluster the number, too. From then on a signal is one word of the lane (lane.h), counted up: the waiter's master
 * reads this word of just those clusters that it waits for (tests/model/signal_word.pml). Words know no end of their
 * room, so each BY_MESSAGE-th signal is a message again: who signals a cluster that is dead is told so.
 */
#include <core/init.h>
#include <errors.h>

#include "comm.h"
#include "peer.h"

#define EARLY      4u
#define BY_MESSAGE 32u

enum { BEGIN, WORDS, MESSAGES }; /* comm.type of a signal */

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
    u32 from;  /* bits: the nodes that signal */
    u32 told;  /* bits: nodes with a signal that no wait has taken */
    u32 twice; /* bits: those of them with more than one signal; more[] has how many more */
    u8 more[NOC_CLUSTERS];
    u8 number[NOC_CLUSTERS]; /* the number + 1 of its signals from each node; 0: by message only */
    u8 own;                  /* the same of this cluster's signals */
    u8 times;                /* how often it was signalled, modulo BY_MESSAGE */
    u8 users;                /* how many descriptors it has */
    u8 early;                /* the node + 1 whose signal came before it was made; 0: it was made */
    bool waits;              /* it was made to wait; false: to signal */
    u16 owner;
    struct request *waiter; /* the request that waits; NULL: none */
    struct peer_watch watch;
} syncs[COMM_SYNCS];
static unsigned used; /* records from this index on are not used */

/* Numbers of syncs. An own one is never given to another sync, so that no signal is taken for one of the other. A peer
 * that does so lies about its own signals only. */
static union name own[LANE_SIGNALS];
static u32 known[LANE_SIGNALS]; /* bits: nodes that were told the number, in this run of their lane */
static union name theirs[NOC_CLUSTERS][LANE_SIGNALS];
static u32 glimpsed[NOC_CLUSTERS];

static bool is_used(const struct sync *s) { return s->users || s->early; }
static inline u32 bit(unsigned node) { return 1u << node; }

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
static inline u32 signallers(const union name *k)
{
    return k->type == SYNC_ALL_TO_ONE ? k->nodes & ~bit(k->one) : bit(k->one);
}
static bool waits_on(const union name *k, unsigned node) { return !(signallers(k) & bit(node)); }

static inline struct sync *find(const union name *k)
{
    for (unsigned i = 0; i < used; i++)
        if (syncs[i].name.word == k->word && is_used(&syncs[i]))
            return &syncs[i];
    return NULL;
}

/* Returns the place of a name among numbers, + 1; 0: it has none. */
static unsigned number_in(const union name *names, const union name *k)
{
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        if (names[i].word == k->word)
            return i + 1;
    return 0;
}

/* The same among this cluster's own; gives it one if there is one left. */
static unsigned own_number(const union name *k)
{
    static const union name nobody;
    unsigned number = number_in(own, k) ?: number_in(own, &nobody);
    if (number)
        own[number - 1] = *k;
    return number;
}

static struct sync *make_record(const union name *k)
{
    unsigned i = 0;
    while (i < COMM_SYNCS && is_used(&syncs[i]))
        i++;
    if (i == COMM_SYNCS)
        return NULL;
    used = MAX(used, i + 1);
    struct sync *s = &syncs[i];
    *s = (struct sync){ .name = *k, .from = signallers(k) };
    for (unsigned n = 0; n < noc_clusters(); n++)
        s->number[n] = (u8)number_in(theirs[n], k);
    return s;
}

static unsigned early_ones(unsigned from)
{
    unsigned n = 0;
    for (unsigned i = 0; i < used; i++)
        n += syncs[i].early == from + 1;
    return n;
}

static inline bool is_complete(const struct sync *s) { return !(s->from & ~s->told); }

/* Take one signal of each node. */
static inline void take(struct sync *s)
{
    s->told &= ~s->from | s->twice;
    for (unsigned i = 0; (u64)s->twice >> i; i++)
        if (s->twice >> i & 1 && !--s->more[i])
            s->twice &= ~bit(i);
}

/* Finish the request that waits, if all signals that it needs have come. */
static inline void finish_if_complete(struct sync *s)
{
    struct request *waiter = s->waiter;
    if (!waiter || !is_complete(s))
        return;
    s->waiter = NULL;
    take(s);
    request_finish(waiter, 0);
}

/* A signal that came as a message. */
static void note(struct sync *s, unsigned from)
{
    if (!(s->told & bit(from))) {
        s->told |= bit(from);
    } else if (s->more[from] < 0xff) {
        s->more[from]++;
        s->twice |= bit(from);
    }
    finish_if_complete(s);
}

/* Take the signals that came as words from nodes whose signal is missing. Returns whether there was one. */
static inline bool gather(struct sync *s)
{
    u32 found = peers_take_signals(s->from & ~s->told, s->number);
    s->told |= found;
    return found;
}

/* Those that nobody waits for yet stay in their words, but whoever rang for them did not ring in vain. */
static bool signals(bool found)
{
    for (struct sync *s = syncs, *end = s + used; s != end; s++)
        if (s->waiter && gather(s)) {
            found = true;
            finish_if_complete(s);
        }
    for (unsigned n = 0; n < noc_clusters() && !found; n++) {
        u32 sum = theirs[n][0].word ? peer_signals_glimpse(n) : 0;
        found = sum != glimpsed[n];
        glimpsed[n] = sum;
    }
    return found;
}

/* A cluster says that by its signals of this number it means a sync. `s`: its record; NULL: there is none. */
static void name_number(unsigned from, unsigned number, const union name *k, struct sync *s)
{
    union name *named = &theirs[from][number - 1];
    struct sync *old = named->word == k->word ? NULL : find(named);
    if (old)
        old->number[from] = 0;
    *named = *k;
    if (s)
        s->number[from] = (u8)number;
}

static void lose(unsigned node)
{
    for (unsigned i = 0; i < LANE_SIGNALS; i++) {
        known[i] &= ~bit(node);
        theirs[node][i].word = 0;
    }
    for (unsigned i = 0; i < used; i++)
        syncs[i].number[node] = 0;
}

/* m->to: the number + 1 by which further signals may come; 0: none. */
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
    if (m->to && m->to <= LANE_SIGNALS)
        name_number(from, m->to, &k, s);
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
    s->own = waits ? 0 : (u8)own_number(&k);
    s->users++;
    return s - syncs;
}

s64 sync_create(struct request *r) { return make(comm_of(r), true); }
s64 sync_open(struct request *r) { return make(comm_of(r), false); }

static inline struct sync *sync_of(const struct comm *c)
{
    struct sync *s = c->id < COMM_SYNCS ? &syncs[c->id] : NULL;
    return s && s->users && s->owner == c->owner ? s : NULL;
}

/* Some descriptors of a sync are closed. With the last one the signals that no wait has taken are lost. */
static void leave(struct sync *s, unsigned users)
{
    s->users -= (u8)users;
    if (s->users)
        return;
    s->waiter = NULL; /* its next try says -EBADF */
    for (unsigned n = 0; n < noc_clusters(); n++)
        if (s->number[n])
            peer_drop_signals(n, s->number[n] - 1u);
}

s64 sync_close(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (c->id >= COMM_SYNCS)
        return -EINVAL;
    if (!s || s->waits != !c->type)
        return -EBADF;
    leave(s, 1);
    return 0;
}

/* A signal as a message, which also tells the number. */
static __noinline int send(const struct sync *s, unsigned node)
{
    const struct lane_message m = {
        .kind = MESSAGE_SIGNAL, .to = s->own, .size = sizeof(s->name), .data = (const u8 *)&s->name
    };
    int err = peer_send(node, &m);
    if (!err && s->own)
        known[s->own - 1] |= bit(node);
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

/* comm.user: bits, the nodes that were not told yet. */
s64 sync_signal(struct request *r)
{
    struct comm *c = comm_of(r);
    struct sync *s = sync_of(c);
    if (!s || s->waits)
        return -EBADF;
    if (c->type == BEGIN) {
        c->type = s->own && s->times++ % BY_MESSAGE ? WORDS : MESSAGES;
        c->user = s->name.nodes & ~s->from;
    }
    u32 left = (u32)c->user, by_word = c->type == WORDS ? left & known[s->own - 1] : 0;
    if (by_word) {
        by_word = peers_signal(by_word, s->own - 1u);
        left = (left & ~known[s->own - 1]) | by_word;
    }
    for (unsigned n = 0; (u64)left >> n; n++) {
        if (!(left >> n & 1))
            continue;
        if (by_word >> n & 1 || send(s, n)) {
            c->user = left;
            r->drop = drop_signal;
            return request_pending(r, n);
        }
        left &= ~bit(n);
    }
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
    if (is_complete(s)) {
        drop(r, false);
        take(s);
        return 0;
    }
    r->peer = first_of(s->from & ~s->told, r->peer);
    r->drop = drop;
    if (peer_watch_lost(&s->watch, r->peer)) {
        drop(r, false);
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
            leave(&syncs[i], syncs[i].users);
}

static __init_text void sync_init(void)
{
    static const struct peer_part part = { .deliver = deliver, .lost = lose, .signals = signals };
    peer_listen(MESSAGE_SIGNAL, &part);
}
INIT_CALL(sync_init);
