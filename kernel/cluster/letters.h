/* SPDX-License-Identifier: MIT */
/* letters.h - the messages that a cluster keeps for its mailboxes until they are read (letters.c), for mailbox.c. */
#ifndef AMALGAM_CLUSTER_LETTERS_H
#define AMALGAM_CLUSTER_LETTERS_H

#include <string.h>

#include "comm.h"
#include "lane.h"

#define LETTER_FORMER 1u

struct letter {
    u8 data[COMM_MESSAGE] __aligned(8);
    u32 order; /* 0: free; smaller is older */
    u32 of;    /* as of a message; LETTER_FORMER: its cluster was lost */
    u8 from_node, from, to;
    bool late; /* a later message of the same cluster has been read */
};

/* What a reader takes. */
struct letter_filter {
    bool on; /* messages of `node`, `port` only; noc_clusters(), COMM_PORTS: of any */
    u8 node, port;
    u32 of; /* of that life of a process; 0: of any */
};

static inline bool letter_is_wanted(const struct letter_filter *f, unsigned node, unsigned port, u32 of)
{
    return !f->on || ((f->node == noc_clusters() || f->node == node) && (f->port == COMM_PORTS || f->port == port) &&
                      (!f->of || f->of == of));
}

/* Copy a message's data; what it leaves of `to`, COMM_MESSAGE bytes, becomes zeros. Returns false if they are not
 * whole.
 */
static inline bool letter_copy(u8 *to, const struct lane_message *m)
{
    lane_copy(to, m->data, m->size);
    if (m->size < COMM_MESSAGE)
        memset(to + m->size, 0, COMM_MESSAGE - m->size);
    return likely(lane_is_whole(m));
}

/* Keep a message of cluster `from`; one that is not whole is dropped. Returns false if there is no room: it must wait.
 */
bool letters_keep(unsigned from, const struct lane_message *m);
/* Return the oldest message for a port that is wanted, or NULL. */
struct letter *letters_oldest(unsigned port, const struct letter_filter *wanted);
/* It has been read: free it. Older ones of the same cluster are late now. */
void letters_take(struct letter *taken);
/* A message of cluster `from` has been read that was not kept: those that are kept are late now. */
void letters_overtaken(unsigned from);
/* Returns whether a late message waits for a port. In Nanvix a cluster's messages come one after the other, so a
 * message that a later one has overtaken is late. A message that comes before its mailbox is for the next mailbox at
 * its port. */
bool letters_late(unsigned port);
/* A cluster was lost: what it has sent is of no process that it has now. */
void letters_lose(unsigned node);
/* Free those for a port. */
void letters_drop(unsigned port);

#endif
