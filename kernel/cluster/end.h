/* SPDX-License-Identifier: MIT */
/*
 * end.h - what descriptors of mailboxes and portals have in common: a table of records that each begin with a
 * struct comm_end. An input receives at a port of this cluster; an output sends to a port of any cluster. Only the
 * master uses the tables, so they need no locks.
 */
#ifndef AMALGAM_CLUSTER_END_H
#define AMALGAM_CLUSTER_END_H

#include "comm.h"
#include "peer.h"

enum comm_state { COMM_FREE, COMM_INPUT, COMM_OUTPUT };

struct comm_end {
    u8 state; /* enum comm_state */
    u8 node;  /* OUTPUT: the receiver's cluster; INPUT: that of the sender named last */
    u8 port;  /* INPUT: this cluster's port; OUTPUT: the receiver's */
    u8 own;   /* OUTPUT: the port that the receiver sees as the sender's; INPUT: that of the sender named last */
    u16 owner;
    u32 of; /* OUTPUT: this life of the process; INPUT: the sender's (peer_owner()); 0: not known */
    struct peer_watch watch;
};

/* The tables of outputs: a port from which one process sends is no other's in any of them. */
struct comm_table {
    void *records;
    size_t size; /* bytes of one record */
    unsigned n;
};

static inline struct comm_end *comm_at(const struct comm_table *t, size_t i)
{
    return (struct comm_end *)((char *)t->records + i * t->size);
}
/* Returns the record of c's descriptor; NULL: the descriptor is not open, or belongs to another process. In line,
 * because each message needs it. */
static inline void *comm_find(const struct comm_table *t, const struct comm *c)
{
    if (c->id >= t->n)
        return NULL;
    struct comm_end *e = comm_at(t, c->id);
    return e->state != COMM_FREE && e->owner == c->owner ? e : NULL;
}
/* Make an input at, or an output to, c's node and port. Returns its descriptor, or the call's error. The rest of the
 * record is zero. */
s64 comm_create(const struct comm_table *t, const struct comm *c);
s64 comm_open(const struct comm_table *t, const struct comm *c);
/* Let an input read of the sender at a port of a cluster. It means the process of which it has read there, so that the
 * end of that one is told, else the one that has the port, else the next one. Returns whether it is the second. */
bool comm_name_sender(struct comm_end *e, unsigned node, unsigned own);
/* Returns whether that process has ended, and all that it has sent has come. */
static inline bool comm_has_left(const struct comm_end *e) { return e->of && peer_has_left(e->node, e->own, e->of); }
/* Let comm_open() know a table. Boot. */
void comm_add(const struct comm_table *t);
/* A cluster was lost: the watches of all descriptors are marked. */
void comm_lose(const struct comm_table *t, unsigned node);
/* Returns the port at which the descriptor receives, or the sender's port that its receiver sees; or -EBADF. */
s64 comm_port(const struct comm_table *t, const struct comm *c);
/* Check that c's descriptor may be freed by a call of c->type. Returns 0, -EINVAL or -EBADF. */
s64 comm_check_close(const struct comm_table *t, const struct comm *c);

#endif
