/* SPDX-License-Identifier: MIT */
/* sync_table.c - which syncs there are, their names and numbers; see sync.h. */
#include "sync.h"

#include <errors.h>

#define EARLY     4u  /* syncs of each sender of which a signal came before they were made */
#define EARLY_ALL 16u /* of all senders: none of these is a record that a process may want */

struct sync syncs[COMM_SYNCS];
unsigned syncs_used;
static struct sync_early early[EARLY_ALL];
static unsigned n_early;

/* An own number is never given to another sync, so that no signal is taken for one of the other. A peer that does so
 * lies about its own signals only. */
static union sync_name own[LANE_SIGNALS];
u32 syncs_known[LANE_SIGNALS];
union sync_name syncs_theirs[NOC_CLUSTERS][LANE_SIGNALS];

bool sync_is_right(const union sync_name *k)
{
    u32 all = noc_clusters() < 32 ? sync_bit(noc_clusters()) - 1 : ~0u, others = k->nodes & (k->nodes - 1);
    return k->type <= SYNC_ALL_TO_ONE && k->one < noc_clusters() && !k->zero[0] && !k->zero[1] && !(k->nodes & ~all) &&
           others && k->nodes & sync_bit(k->one) && k->nodes & sync_bit(noc_self());
}

/* Make the identity of a list, whose first node is the one. Returns false if the list is wrong. */
static bool read_list(union sync_name *k, unsigned type, const u8 *node, unsigned n)
{
    *k = (union sync_name){ .type = (u8)type, .one = node[0] };
    if (type > SYNC_ALL_TO_ONE || n < 2 || n > noc_clusters())
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (node[i] >= noc_clusters() || k->nodes & sync_bit(node[i]))
            return false;
        k->nodes |= sync_bit(node[i]);
    }
    return sync_is_right(k);
}

/* Returns the place of a name among numbers, + 1; 0: it has none. */
static unsigned number_in(const union sync_name *names, const union sync_name *k)
{
    for (unsigned i = 0; i < LANE_SIGNALS; i++)
        if (names[i].word == k->word)
            return i + 1;
    return 0;
}

/* The same among this cluster's own; gives it one if there is one left. */
static unsigned own_number(const union sync_name *k)
{
    static const union sync_name nobody;
    unsigned number = number_in(own, k) ?: number_in(own, &nobody);
    if (number)
        own[number - 1] = *k;
    return number;
}

/* Returns NULL if a process has its share of the records, which is at most all. */
static struct sync *make_record(const union sync_name *k, u16 owner)
{
    unsigned i = 0, has = 0;
    for (unsigned n = 0; n < syncs_used; n++)
        has += syncs[n].users && syncs[n].owner == owner;
    if (!comm_in_share(has, COMM_SYNCS))
        return NULL;
    while (i < COMM_SYNCS && syncs[i].users)
        i++;
    if (i == COMM_SYNCS)
        return NULL;
    syncs_used = MAX(syncs_used, i + 1);
    struct sync *s = &syncs[i];
    *s = (struct sync){ .name = *k, .from = sync_signallers(k) };
    for (unsigned n = 0; n < noc_clusters(); n++)
        s->number[n] = (u8)number_in(syncs_theirs[n], k);
    return s;
}

struct sync_early *sync_find_early(const union sync_name *k, unsigned from)
{
    struct sync_early *free = NULL;
    unsigned n = 0;
    for (struct sync_early *e = early; e != early + EARLY_ALL; e++) {
        if (e->node && e->name.word == k->word)
            return e;
        free = e->node ? free : e;
        n += e->node == from + 1;
    }
    if (!free || n >= EARLY)
        return NULL;
    *free = (struct sync_early){ .name = *k, .node = (u8)(from + 1) };
    n_early++;
    return free;
}

static void free_early(struct sync_early *e)
{
    e->node = 0;
    n_early--;
}

/* A sync is made: take the signals that came before. */
static void take_early(struct sync *s)
{
    for (struct sync_early *e = early; n_early && e != early + EARLY_ALL; e++)
        if (e->node && e->name.word == s->name.word) {
            s->got = e->got;
            free_early(e);
        }
}

static void forget(struct sync_signals *got, unsigned node)
{
    got->told &= ~sync_bit(node);
    got->twice &= ~sync_bit(node);
    got->more[node] = 0;
}

/* A record whose first sender is lost counts as one of another that has signalled, if there is one. */
static void lose_early(struct sync_early *e, unsigned node)
{
    forget(&e->got, node);
    if (!e->got.told)
        free_early(e);
    else if (e->node == node + 1)
        for (e->node = 1; !(e->got.told & sync_bit(e->node - 1u));)
            e->node++;
}

void sync_name_number(unsigned from, unsigned number, const union sync_name *k, struct sync *s)
{
    union sync_name *named = &syncs_theirs[from][number - 1];
    struct sync *old = named->word == k->word ? NULL : sync_find(named);
    if (old)
        old->number[from] = 0;
    *named = *k;
    if (s)
        s->number[from] = (u8)number;
}

void sync_lose(unsigned node)
{
    for (unsigned i = 0; i < LANE_SIGNALS; i++) {
        syncs_known[i] &= ~sync_bit(node);
        syncs_theirs[node][i].word = 0;
    }
    for (struct sync_early *e = early; e != early + EARLY_ALL; e++)
        if (e->node)
            lose_early(e, node);
    for (unsigned i = 0; i < syncs_used; i++) {
        syncs[i].number[node] = 0;
        forget(&syncs[i].got, node);
        peer_watch_mark(&syncs[i].watch, node);
    }
}

/* Make a descriptor for a list, the same one for the same list. */
static s64 make(struct comm *c, bool waits)
{
    union sync_name k;
    if (!read_list(&k, c->type, c->data, c->size) || waits != sync_waits_on(&k, noc_self()))
        return -EINVAL;
    struct sync *s = sync_find(&k);
    if (s && s->users && s->owner != c->owner)
        return -EBUSY;
    if (!s)
        s = make_record(&k, c->owner);
    if (!s || s->users == 0xff)
        return -EAGAIN;
    if (!s->users)
        take_early(s);
    s->owner = c->owner;
    s->waits = waits;
    s->own = waits ? 0 : (u8)own_number(&k);
    s->users++;
    return s - syncs;
}

s64 sync_create(struct request *r) { return make(comm_of(r), true); }
s64 sync_open(struct request *r) { return make(comm_of(r), false); }

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

void sync_close_all(u16 owner)
{
    for (unsigned i = 0; i < syncs_used; i++)
        if (syncs[i].users && syncs[i].owner == owner)
            leave(&syncs[i], syncs[i].users);
}
