/* SPDX-License-Identifier: MIT */
/*
 * end.h - what descriptors of mailboxes and portals have in common: a table of records that each begin with a
 * struct comm_end. An input reads at a port of this cluster, an output writes to a port of any. The master's, no locks.
 */
#ifndef AMALGAM_CLUSTER_END_H
#define AMALGAM_CLUSTER_END_H

#include "comm.h"
#include "peer.h"

enum comm_state { COMM_FREE, COMM_INPUT, COMM_OUTPUT };

struct comm_end {
    u8 state; /* enum comm_state */
    u8 node;  /* OUTPUT: the receiver's; INPUT: the portal's matter */
    u8 port;  /* INPUT: ours; OUTPUT: the receiver's */
    u8 own;   /* OUTPUT: the port that the receiver sees as the sender's */
    u16 owner;
    struct peer_watch watch;
};

struct comm_table {
    void *records;
    size_t size; /* of one */
    unsigned n;
};

/* The record of a descriptor that is its caller's; NULL: it is none. */
void *comm_find(const struct comm_table *t, const struct comm *c);
/* Make an input at c's node and port, an output to them: its descriptor, or the call's error. The rest of the record is
 * zero. */
s64 comm_create(const struct comm_table *t, const struct comm *c);
s64 comm_open(const struct comm_table *t, const struct comm *c);
/* The port that it reads, or that its receiver sees. */
s64 comm_port(const struct comm_table *t, const struct comm *c);
/* Whether c's descriptor may be given back as c->type says: 0, -EINVAL, -EBADF. */
s64 comm_check_close(const struct comm_table *t, const struct comm *c);

#endif
