/* SPDX-License-Identifier: MIT */
/*
 * sync.h - what the files of syncs share: sync.c (signals, and waits for them) and sync_table.c (which syncs there are,
 * their names and numbers).
 *
 * A sync is identified by its type, the one, and the set of its nodes: eight bytes, its name, which are also the
 * contents of its signal. The first LANE_SIGNALS syncs that a cluster signals have a number there.
 */
#ifndef AMALGAM_CLUSTER_SYNC_H
#define AMALGAM_CLUSTER_SYNC_H

#include "comm.h"
#include "peer.h"

/* The identity of a sync, and the contents of its signal. */
union sync_name {
    struct {
        u8 type, one, zero[2];
        u32 nodes; /* bits */
    };
    u64 word;
};
_Static_assert(sizeof(union sync_name) == sizeof(u64) && NOC_CLUSTERS <= 32, "a signal is a word");

/* Signals that no wait has taken. */
struct sync_signals {
    u32 told;  /* bits: nodes that have signalled */
    u32 twice; /* bits: those of them with more than one signal; more[] has how many more */
    u8 more[NOC_CLUSTERS];
};

struct sync {
    union sync_name name;
    u32 from; /* bits: the nodes that signal */
    struct sync_signals got;
    u8 number[NOC_CLUSTERS]; /* the number + 1 of its signals from each node; 0: by message only */
    u8 own;                  /* the same of this cluster's signals */
    u8 times;                /* how often it was signalled, modulo BY_MESSAGE */
    u8 users;                /* how many descriptors it has */
    bool waits;              /* it was made to wait; false: to signal */
    u16 owner;
    struct request *waiter; /* the request that waits; NULL: none */
    struct peer_watch watch;
};
extern struct sync syncs[COMM_SYNCS];
extern unsigned syncs_used; /* records from this index on are not used */

/* The signals of a sync that was not made yet. */
struct sync_early {
    union sync_name name;
    u8 node; /* + 1, which signalled first; 0: the record is free */
    struct sync_signals got;
};

/* Of this cluster's numbers: bits, the nodes that were told it in this run of their lane. */
extern u32 syncs_known[LANE_SIGNALS];
/* What other clusters mean by theirs. */
extern union sync_name syncs_theirs[NOC_CLUSTERS][LANE_SIGNALS];

static inline u32 sync_bit(unsigned node) { return 1u << node; }

/* Returns the nodes that signal; the others wait. */
static inline u32 sync_signallers(const union sync_name *k)
{
    return k->type == SYNC_ALL_TO_ONE ? k->nodes & ~sync_bit(k->one) : sync_bit(k->one);
}
static inline bool sync_waits_on(const union sync_name *k, unsigned node)
{
    return !(sync_signallers(k) & sync_bit(node));
}

static inline struct sync *sync_find(const union sync_name *k)
{
    for (unsigned i = 0; i < syncs_used; i++)
        if (syncs[i].users && syncs[i].name.word == k->word)
            return &syncs[i];
    return NULL;
}

static inline struct sync *sync_of(const struct comm *c)
{
    struct sync *s = c->id < COMM_SYNCS ? &syncs[c->id] : NULL;
    return s && s->users && s->owner == c->owner ? s : NULL;
}

/* Returns whether the name is one, and this cluster is one of its nodes. */
bool sync_is_right(const union sync_name *k);
/* Returns the record of a sync whose signal has come from `from` before the sync was made; a new one if there is none.
 * Returns NULL if that cluster has as many already, or no record is free. */
struct sync_early *sync_find_early(const union sync_name *k, unsigned from);
/* A cluster says that by its signals of this number it means a sync. `s`: its record; NULL: there is none. */
void sync_name_number(unsigned from, unsigned number, const union sync_name *k, struct sync *s);
/* A cluster was lost, with all that it has signalled, and that it and we have said of numbers. */
void sync_lose(unsigned node);

#endif
