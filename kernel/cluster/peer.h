/* SPDX-License-Identifier: MIT */
/*
 * peer.h - the other clusters: sends and receives their messages, and reports when one of them is lost. Only the master
 * calls these, so they need no locks; none of them waits.
 */
#ifndef AMALGAM_CLUSTER_PEER_H
#define AMALGAM_CLUSTER_PEER_H

#include <life.h>

#include "lane_notice.h"

/* Kinds of messages. The part of this folder that uses a kind defines its contents. Of pages there are notices. */
enum { MESSAGE_MAIL = 0, MESSAGE_SIGNAL = 2, MESSAGE_PAGES = 4, MESSAGE_KINDS = 3 };
_Static_assert(MESSAGE_SIGNAL == LANE_KIND_LITTLE, "a lane carries them");

/* Start the lanes to all clusters. Called once, before the other functions. */
void peers_start(void);
/* Poll all lanes, and deliver at most LANE_SLOTS messages of each. Returns whether anything has changed. */
bool peers_poll(void);
/* Returns whether the last peers_poll() has taken a message, or found one of ours taken; if not, the ring was vain. */
bool peers_got(void);
/* Returns whether a message waits in its lane because its receiver had no room. */
bool peers_held(void);
/* Ask a cluster whether it is alive, unless it has not answered the last question; it is lost if no answer comes within
 * noc_patience(). */
void peer_ask(unsigned node);
/* Called by a part that has no room for a message because its reader is slow: the sender is told so. */
void peer_wait_for_reader(void);
/* Returns whether `node` says so of a message of this cluster. Of this cluster itself: of the last message sent. */
bool peer_is_slow(unsigned node);
/* Call this after a copy out of a cluster's outbox. Returns whether it is of the life from which this cluster has
 * heard; else the cluster is lost by then, and what was copied may be zeros. */
bool peer_stays(unsigned node);
/*
 * Which process sends: a cluster says for each port from which it sends which life of a process owns it, by a number
 * that no later process has (struct lane_owners).
 */

/* Say that of this cluster's port `own` to `node`. 0: nobody owns it now. */
void peer_set_owner(unsigned node, unsigned own, u32 of);
/* Take all ports of the domain `owner` from it: it has ended. Other clusters are told. */
void peer_end_owner(unsigned owner);
/* Returns who owns the port `own` from which `node` sends to this cluster; 0: nobody. */
u32 peer_owner(unsigned node, unsigned own);
/* Returns whether that is not `of` any more, and all that it has sent has come. */
bool peer_has_left(unsigned node, unsigned own, u32 of);
static inline unsigned peer_domain(u32 of) { return of / LANE_STEP >> LIFE_BITS; }

/* Send to a cluster, which may be this one. -EAGAIN: there is no room now. */
int peer_send(unsigned node, const struct lane_message *m);
/* Tell a cluster, which may be this one, of data in `n` buffers, as lane_notify(). Returns these buffers (bits); 0: not
 * now. */
u32 peer_notify(unsigned node, unsigned ports, u32 of, const struct dma_page *page, unsigned n);
/* Give buffers (bits) of a cluster back to it. */
void peer_give_back(unsigned node, u32 buffers);
/* Ask a cluster to give this cluster's buffers (bits) back, read or not. */
void peer_want_back(unsigned node, u32 buffers);
/* Send other clusters (bits) a signal of kind i, below LANE_SIGNALS. Returns those whose lane has no room. */
u32 peers_signal(u32 nodes, unsigned i);
/* Take a signal of each of these clusters, of the kind kinds[node] - 1; 0: of none. Returns those that have sent one.
 */
u32 peers_take_signals(u32 nodes, const u8 *kinds);
/* Drop all signals of kind i that have come from a cluster. */
void peer_drop_signals(unsigned node, unsigned i);
/* Returns a number that is another one when signals of this cluster have come, taken or not. */
u32 peer_signals_glimpse(unsigned node);
/* Returns whether, by that number, so many of them were not taken that rings for further ones are vain. */
bool peer_signals_pile_up(unsigned node, u32 glimpse);
/*
 * A cluster is lost if it does not answer, if it wrote impossible values, or if it has restarted. Each descriptor has a
 * watch, so that a loss since it was made, or since the last report, is reported once, also one between two operations.
 * Losses are marked, not counted: a cluster may be lost as often as it likes. The part that has the descriptors marks
 * them (peer_part.lost).
 */
struct peer_watch {
    u32 lost; /* bits: the clusters whose loss was not reported yet */
};
static inline void peer_watch_mark(struct peer_watch *w, unsigned node) { w->lost |= 1u << node; }
/* Returns which of these clusters (bits) were lost and not reported; they are reported by this. */
static inline u32 peer_watch_take(struct peer_watch *w, u32 nodes)
{
    u32 lost = w->lost & nodes;
    w->lost &= ~lost;
    return lost;
}
static inline bool peer_watch_lost(struct peer_watch *w, unsigned node) { return peer_watch_take(w, 1u << node); }

/* The part that handles messages of a kind. */
struct peer_part {
    /* A message of `from` has come; its contents were not checked. Returns false if it must wait. Not of pages. */
    bool (*deliver)(unsigned from, const struct lane_message *m);
    /* The cluster is lost, with the messages to it and from it; may be NULL. */
    void (*lost)(unsigned node);
    /* The part for pages has these three. A cluster tells of data in `n` buffers; nothing was checked. */
    void (*note)(unsigned from, const struct lane_page *page, unsigned n);
    /* It has given these buffers (bits) back, some of which it may never have had; it wants these of its own back. */
    void (*given_back)(unsigned from, u32 buffers);
    void (*want_back)(unsigned from, u32 buffers);
    /* Called by each peers_poll(). Returns whether signals have come; it may do without looking for them if `found`
     * says that something else has. May be NULL. Only one part may have it. */
    bool (*signals)(bool found);
};
/* Let a part handle messages of `kind`. Called at boot. */
void peer_listen(unsigned kind, const struct peer_part *part);

#endif
