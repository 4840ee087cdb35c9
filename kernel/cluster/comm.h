/* SPDX-License-Identifier: MIT */
/*
 * comm.h - descriptors of mailboxes, portals and syncs (Nanvix paper, III.C), as the kernel calls use them.
 *
 * A node is the number of a cluster. Each operation is a request that the master serves: fill it and call
 * request_run(). A descriptor belongs to the process that made it; for any other process it is -EBADF.
 */
#ifndef AMALGAM_CLUSTER_COMM_H
#define AMALGAM_CLUSTER_COMM_H

#include <core/domain.h>

#include "dma.h"
#include "lane.h"
#include "request.h"

#define COMM_PORTS     LANE_PORTS
#define COMM_MAILBOXES 64u
#define COMM_PORTALS   64u
#define COMM_SYNCS     64u
#define COMM_MESSAGE   LANE_DATA
#define COMM_PAGE      4096u      /* bytes of one portal transfer, at most */
#define COMM_LONG      (1u << 20) /* bytes of a long one, which is one transfer for each of its pages */

/* Arguments and results of an operation. */
struct comm {
    struct request request __aligned(NOC_LINE); /* so that a comm has lines of its own */
    u16 owner;                                  /* the caller's domain */
    u16 id;                                     /* descriptor; of one that is made, the result is the descriptor */
    u16 node, port;
    u16 size; /* in signal: whether a cluster was lost, 0 at first */
    /* sync: enum comm_sync, in open and create; in signal how it is sent, 0 at first. mailbox_read(): it has started
     * its read */
    u8 type;
    /* the caller's address for the data; stored with the descriptor from aread to wait. Sync: bits, the nodes that were
     * not told yet */
    u64 user;
    void *room; /* portal: address of the data in this cluster's outbox, or in the sender's */
    /* the kernel's copy of the caller's data: a message or a list of nodes; COMM_MESSAGE bytes in lines of their own */
    u8 *data;
};

enum comm_sync { SYNC_ONE_TO_ALL, SYNC_ALL_TO_ONE };

/* Functions for request.serve, with the fields that each uses. They return the errors of kernel/api/cluster.yaml. */
s64 mailbox_create(struct request *r);    /* node, port */
s64 mailbox_open(struct request *r);      /* node, port */
s64 mailbox_close(struct request *r);     /* id, type: 0 unlink, 1 close */
s64 mailbox_filter(struct request *r);    /* id, node, port */
s64 mailbox_awrite(struct request *r);    /* id, data, size */
s64 mailbox_aread(struct request *r);     /* id, user, size */
s64 mailbox_wait(struct request *r);      /* id; of a read fills data, user, size */
s64 mailbox_port(struct request *r);      /* id */
s64 mailbox_write(struct request *r);     /* as awrite; no wait follows */
s64 mailbox_try_write(struct request *r); /* as write; -EAGAIN where that waits for room */
s64 mailbox_read(struct request *r);      /* as aread, then as wait; type: 0 */
s64 mailbox_receive(struct request *r);   /* as read; sets node, port: the sender's */

s64 sync_create(struct request *r); /* type, size: nodes, data: their numbers */
s64 sync_open(struct request *r);
s64 sync_close(struct request *r); /* id, type: 0 unlink, 1 close */
s64 sync_signal(struct request *r);
s64 sync_wait(struct request *r);

s64 portal_create(struct request *r);     /* node, port */
s64 portal_open(struct request *r);       /* node, port */
s64 portal_allow(struct request *r);      /* id, node, port */
s64 portal_close(struct request *r);      /* id, type: 0 unlink, 1 close */
s64 portal_begin(struct request *r);      /* id, size; sets `room`, a buffer of the outbox to fill */
s64 portal_send(struct request *r);       /* id, size; size 0: frees the buffer */
s64 portal_try_begin(struct request *r);  /* as begin; -EAGAIN where that waits, or data there are unread */
s64 portal_send_whole(struct request *r); /* as send; no wait follows */
s64 portal_aread(struct request *r);      /* id, user, size */
s64 portal_wait(struct request *r);       /* id; of a read: data at `room`, size, user */
s64 portal_taken(struct request *r);      /* id: the data were read */
s64 portal_port(struct request *r);       /* id */

/* A long transfer, by the DMA engine. Filled by the caller: comm.id, comm.request.drop, size; of the job memory, frame
 * and at. */
struct comm_long {
    struct comm comm;
    struct portal *portal; /* NULL: not begun */
    u32 size, done;
    struct dma_job job;
};
s64 portal_write(struct request *r);
s64 portal_read(struct request *r);
bool portal_drop_long(struct request *r, bool ends); /* for request.drop */

/* Close all descriptors of the domain `owner`. */
void mailbox_close_all(u16 owner);
void sync_close_all(u16 owner);
void portal_close_all(u16 owner);

/* Returns whether a process that has so many of `all` may have one more: not beyond its share. */
static inline bool comm_in_share(unsigned has, unsigned all) { return has < MAX(all / n_domains, 1u); }

static inline struct comm *comm_of(struct request *r) { return container_of(r, struct comm, request); }

#endif
