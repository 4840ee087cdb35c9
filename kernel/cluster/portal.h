/* SPDX-License-Identifier: MIT */
/*
 * portal.h - portals as their two files see them: portal.c has the descriptors, portal_wire.c buffers and messages.
 *
 * The writer is given a buffer of its cluster's outbox and fills it on its own core; a notice tells the reader's kernel
 * where the data are. There they wait until a portal at that port allows their writer. The reader copies them out of
 * the writer's outbox on its own core and says done, and the buffer is free. So data are copied twice, on two cores,
 * and neither is a master's; and a write ends before its reader allows it, as Nanvix' do.
 *
 * What a cluster may have waiting here is a notice for each of its own buffers, so it takes nobody else's place.
 */
#ifndef AMALGAM_CLUSTER_PORTAL_H
#define AMALGAM_CLUSTER_PORTAL_H

#include "end.h"

#define PORTAL_BUFFERS   16u /* of an outbox, at most */
#define PORTAL_NO_BUFFER 0xffu

enum portal_transfer {
    PORTAL_IDLE,
    PORTAL_FILLING, /* output: the writer has a buffer */
    PORTAL_SENT,    /* output: the reader's kernel has been told */
    PORTAL_TAKING,  /* input: the reader copies */
    PORTAL_LOST,    /* input: its writer is */
};

struct portal {
    struct comm_end end; /* INPUT: node and own are those of the writer that it has allowed */
    u8 transfer;         /* enum portal_transfer */
    u8 buffer;           /* FILLING: of our outbox; TAKING: of the writer's */
    bool allowed;
    u16 size; /* of the read that was started; 0: none was */
    u64 user;
};
extern struct portal portals[COMM_PORTALS];

/* Where buffer `i` of an outbox lies in it; how many there are. */
size_t portal_buffer_at(unsigned i);
unsigned portal_buffers(void);

/* A buffer of our own outbox for `p`: false, there is none, or the last ones are kept for owners that have none. */
bool portal_give_buffer(struct portal *p);
/* It was not sent. */
void portal_return_buffer(const struct portal *p);
/* Tell the reader's kernel of `size` bytes in p's buffer, which is the reader's from now on. -EAGAIN: not now. */
int portal_notify(const struct portal *p, unsigned size);

/* The oldest data that cluster `node` has sent from its port `own` to our port `to`: the buffer of its outbox and the
 * length; PORTAL_NO_BUFFER: none. */
unsigned portal_waiting(unsigned node, unsigned own, unsigned to, u16 *length);
/*
 * That buffer is about to be read. What its cluster had sent before has passed its port, as in Nanvix, where a node's
 * data come one after the other: data for a port that nobody has are dropped, others are late from now on.
 */
void portal_pass(unsigned node, unsigned buffer);
/* Whether late data wait for a port. */
bool portal_is_late(unsigned to);
/* They are read, or never will be: tell the writer that the buffer is free. */
void portal_done(unsigned node, unsigned buffer);
/* The same for all that waits for a port. */
void portal_drop(unsigned to);

#endif
