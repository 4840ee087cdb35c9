/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the other clusters, and what is told when one of them has something or is lost. All of it is the master's:
 * no locks, nothing waits.
 */
#ifndef AMALGAM_CLUSTER_PEER_H
#define AMALGAM_CLUSTER_PEER_H

#include "lane.h"

/* Kinds of messages. Each carries what its part of this folder says. */
enum { MESSAGE_MAIL, MESSAGE_SIGNAL, MESSAGE_DATA, MESSAGE_DONE, MESSAGE_KINDS };
_Static_assert(MESSAGE_KINDS <= LANE_KINDS, "a lane carries them all");

/* Greet all. Once, before all others. */
void peers_start(void);
/* Look at all lanes, deliver at most LANE_SLOTS messages of each: whether anything has changed. */
bool peers_poll(void);
/* Whether a message waits in its lane because its receiver had no room. */
bool peers_held(void);
/* Ask a cluster whether it is there; it is lost if no answer comes in noc_patience(). */
void peer_ask(unsigned node);
/* Send to a cluster, this one among them. -EAGAIN: not now. */
int peer_send(unsigned node, const struct lane_message *m);
/*
 * A cluster is lost by its silence, by what it wrote, or because it began anew. Each descriptor has a watch, so that it
 * is told once of a loss since it was made or last told, also of one between two operations.
 */
struct peer_watch {
    u8 seen[NOC_CLUSTERS];
};
void peer_watch_start(struct peer_watch *w);
bool peer_watch_lost(struct peer_watch *w, unsigned node);

/* Who takes messages of a kind. */
struct peer_part {
    /* A message of `from` has come: false, it must wait. What it says was not checked. */
    bool (*deliver)(unsigned from, const struct lane_message *m);
    /* The cluster is lost, with it what it had of us and was to send; NULL: no matter. */
    void (*lost)(unsigned node);
    /* There may be room in the lane again; NULL: no matter. One part has it. */
    void (*flush)(unsigned node);
};
/* A part takes messages of `kind`. Boot. */
void peer_listen(unsigned kind, const struct peer_part *part);

#endif
