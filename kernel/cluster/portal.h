/* SPDX-License-Identifier: MIT */
/*
 * portal.h - portals as their two files see them: portal.c has the descriptors, portal_wire.c buffers and messages.
 *
 * The reader allows a transfer, which the writer's kernel is told. The writer is given a buffer of its cluster's outbox
 * and fills it on its own core; the message says which. The reader copies out of the writer's outbox on its own core
 * and says done, and the buffer is free. So data are copied twice, on two cores, and neither is a master's.
 */
#ifndef AMALGAM_CLUSTER_PORTAL_H
#define AMALGAM_CLUSTER_PORTAL_H

#include "end.h"

#define PORTAL_NOBODY 0xffffu /* an owner that has ended */

enum portal_transfer {
    PORTAL_IDLE,
    PORTAL_FILLING, /* output: the writer has a buffer */
    PORTAL_SENT,    /* output: the reader has been told */
    PORTAL_DONE,
    PORTAL_FAILED,
    PORTAL_HERE,   /* input: data are in the writer's outbox */
    PORTAL_TAKING, /* input: the reader copies them */
};

struct portal {
    struct comm_end end; /* INPUT: node and own are those of the writer that it has allowed */
    u8 transfer;         /* enum portal_transfer */
    u8 buffer;
    bool allowed;
    u16 length; /* of the data that are here */
    u16 size;   /* of the read that was started; 0: none was */
    u64 user;
};
extern struct portal portals[COMM_PORTALS];

/* Where buffer `i` of an outbox lies in it; how many there are. */
size_t portal_buffer_at(unsigned i);
unsigned portal_buffers(void);
/* A buffer of our own outbox for `p`, which becomes FILLING: false, all are in use. */
bool portal_give_buffer(struct portal *p);
/* It has no buffer any more, and is in this state; without an owner it is free. */
void portal_end_output(struct portal *p, enum portal_transfer how);
/* Tell the writer that its buffer is free: its data were taken, or refused. */
void portal_tell(unsigned node, unsigned buffer, bool taken);
/* Whether the reader of an output has allowed a transfer; say that it has, or that it was used. */
bool portal_is_granted(const struct portal *p);
void portal_grant(const struct portal *p, bool granted);

#endif
