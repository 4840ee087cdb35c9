/* SPDX-License-Identifier: MIT */
/* sync_table.c - which syncs there are, their names and numbers; see sync.h. */
#include "sync.h"

#include <errors.h>

#define EARLY 4u /* syncs of each sender of which a signal came before they were made */

struct sync syncs[COMM_SYNCS];
unsigned syncs_used;

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

static struct sync *make_record(const union sync_name *k)
{
    unsigned i = 0;
    while (i < COMM_SYNCS && sync_is_used(&syncs[i]))
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

static unsigned early_ones(unsigned from)
{
    unsigned n = 0;
    for (unsigned i = 0; i < syncs_used; i++)
        n += syncs[i].early == from + 1;
    return n;
}

struct sync *sync_make_early(const union sync_name *k, unsigned from)
{
    struct sync *s = early_ones(from) < EARLY ? make_record(k) : NULL;
    if (s)
        s->early = (u8)(from + 1);
    return s;
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
    for (unsigned i = 0; i < syncs_used; i++) {
        syncs[i].number[node] = 0;
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
        s = make_record(&k);
    if (!s || s->users == 0xff)
        return -EAGAIN;
    if (!s->users)
        s->watch = (struct peer_watch){ 0 };
    s->early = 0;
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
