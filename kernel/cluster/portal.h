/* SPDX-License-Identifier: MIT */
/*
 * portal.h - what the files of portals share: portal.c has the descriptors, portal_wire.c the buffers of this cluster
 * and the messages, portal_notices.c the data in other clusters' buffers.
 *
 * The writer gets a buffer in its cluster's outbox and fills it on its own core. A notice tells the reader's kernel
 * that the buffer has data. They stay there until a portal at that port allows their writer. Then the reader copies
 * them out of the writer's outbox on its own core, and gives the buffer back. So data are copied twice, on two cores,
 * neither of which is a master; and a write ends before its reader allows it, as in Nanvix.
 *
 * A cluster can have at most one notice waiting here for each buffer of its outbox, so it cannot use up the room of
 * others; and notices and buffers that are given back have places of their own in a lane, so they wait for nothing.
 *
 * What a process has sent stays when it ends. But if its next life wants a buffer and has no other, the oldest cluster
 * that has one of the former lives' is asked for it: whoever has not begun to read gives it back unread, and counts it.
 */
#ifndef AMALGAM_CLUSTER_PORTAL_H
#define AMALGAM_CLUSTER_PORTAL_H

#include "end.h"

#define PORTAL_BUFFERS   LANE_BUFFERS /* in an outbox, at most */
#define PORTAL_NO_BUFFER 0xffu

enum portal_transfer {
    PORTAL_IDLE,
    PORTAL_FILLING, /* output: the writer has a buffer */
    PORTAL_SENT,    /* output: the notice was sent to the reader's kernel */
    PORTAL_TAKING,  /* input: the reader copies */
    PORTAL_LOST,    /* input: its writer is lost */
};

struct portal {
    struct comm_end end; /* INPUT: `node` and `own` are the cluster and port of the writer that it has allowed */
    u8 transfer;         /* enum portal_transfer */
    u8 buffer;           /* FILLING: a buffer of this cluster's outbox; TAKING: of the writer's */
    bool allowed;
    u16 size; /* bytes of the read that was started; 0: none was */
    u64 user;
    struct comm_long *longer; /* a long transfer has the portal; NULL: none */
};
extern struct portal portals[COMM_PORTALS];
extern const struct comm_table portal_table;

static inline u8 portal_ports(unsigned to, unsigned own) { return (u8)(to << 4 | own); }
_Static_assert(COMM_PORTS == 1 << 4, "two ports are a byte");

/* End a read: the next one needs another permission. Return `result`; -EIO, for one whose writer is lost. */
s64 portal_end_read(struct portal *p, s64 result);
s64 portal_end_lost(struct portal *p);

/* Return the offset of buffer `i` in an outbox, and how many buffers there are. */
size_t portal_buffer_at(unsigned i);
unsigned portal_buffers(void);

/* Give `p` a buffer of this cluster's outbox. Returns false if there is none, or if its process has its share of
 * them; *peers: bits, the clusters that were asked for one of its former lives. */
bool portal_give_buffer(struct portal *p, u32 *peers);
/* The same for up to `most` buffers: of each page its number, and the size of a whole page. Returns how many. */
unsigned portal_give_buffers(const struct portal *p, struct dma_page *page, unsigned most, u32 *peers);
/* Returns whether p's reader's cluster has a buffer of p's process that it has not given back. */
bool portal_is_unread(const struct portal *p);
/* Free a buffer, which was not sent. */
void portal_return_buffer(unsigned buffer);
/* A process ends: those that it has sent stay, until a later life of it wants one. */
void portal_leave_buffers(u16 owner);
/* Send the reader's kernel a notice of `n` buffers with data, in their order, at most DMA_PAGES. They belong to the
 * reader from then on. Returns 0; -EAGAIN: the lane has no room now. */
int portal_notify(const struct portal *p, const struct dma_page *page, unsigned n);

/* Cluster `from` tells of data in `n` buffers. Those that cannot be are a lie, and ignored. */
void portal_note(unsigned from, const struct lane_page *page, unsigned n);
/* A cluster is lost, with all that waits in its buffers. */
void portal_forget(unsigned node);
/* It wants these buffers back, read or not: give those back that nobody is about to read, and count them. */
void portal_want_back(unsigned from, u32 buffers);
/* Find the oldest data for `p` from the writer that it has allowed. If it was any process, it is the one that has sent
 * these from now on. Returns the buffer in its cluster's outbox, and their length; PORTAL_NO_BUFFER: there are none. */
unsigned portal_waiting(struct portal *p, u16 *length);
/* A portal has allowed the process that has a port: drop what former ones have sent from there, and count it. */
void portal_drop_former(const struct portal *p);
/* The same for up to `most` of the data for `p` from the writer that it has allowed, oldest first; *others: data for
 * somebody else wait, too. Returns how many. */
unsigned portal_all_waiting(const struct portal *p, struct dma_page *page, unsigned most, bool *others);
/*
 * Note that this buffer is about to be read. In Nanvix a cluster's data come one after the other. Therefore older data
 * of the same cluster have been overtaken: they are dropped if their port has no portal, and late otherwise.
 */
void portal_pass(unsigned node, unsigned buffer);
/* Returns whether late data wait for a port. */
bool portal_is_late(unsigned to);
/* The data were read, or will never be: give the buffer back. */
void portal_done(unsigned node, unsigned buffer);
void portal_done_all(unsigned node, const struct dma_page *page, unsigned n);
/* The same for all data that wait for a port. */
void portal_drop(unsigned to);

#endif
