/* SPDX-License-Identifier: MIT */
/* net.h - what a network device and the switch that it is plugged into know of each other. */
#ifndef AMALGAM_VM_VIRTIO_NET_H
#define AMALGAM_VM_VIRTIO_NET_H

#include "virtio.h"

#define MAC_BYTES 6

#define FRAME_MIN   14
#define FRAME_MAX   1522
#define FRAME_CHAIN CHAIN_SHORT

struct virtio_net {
    struct virtio v;
    struct net_switch *sw;
    u8 mac[MAC_BYTES]; /* the device's configuration space */
};

/* An Ethernet frame on its way: in a sender's descriptors, or in one piece when it comes from outside. */
struct net_frame {
    struct virtq *chain; /* its queue; NULL: `bytes` has it */
    u32 offset;          /* of the frame in the chain's readable stream */
    const u8 *bytes;
    u32 length;
    s32 *budget; /* who pays for the copies */
};

/* Copy the frame's bytes [from, from + n) to `to`; false: the sender rewrote its chain, the frame is none. */
bool net_frame_copy(struct net_frame *f, u32 from, void *to, u32 n);

/* Plug in; -ERANGE: no such switch, -ENOSPC: all ports are taken, -EEXIST: the address is. Domain creation. */
int net_switch_join(unsigned number, struct virtio_net *port);
/* Forward a frame of `from` (NULL: of the outside). Returns false if the budget ended first: the queue's progress is
 * then the port to go on with. Switch locked. */
bool net_switch_forward(struct net_switch *sw, struct virtio_net *from, struct net_frame *f);
/* Put the frame into the port's receive queue, or drop it if there is no buffer that holds it. Switch locked. */
void virtio_net_deliver(struct virtio_net *to, struct net_frame *f);

/* --- the outside, a network of the first Linux (split_net.c) ------------------------------------------ */
/* A switch gets its first port: give it a way out, where there is one. Domain creation. */
void split_net_create(unsigned number, struct net_switch *sw);
/* A frame that concerns no port, or all. Switch locked. */
void split_net_send(unsigned number, struct net_frame *f);
struct spinlock *net_switch_lock(struct net_switch *sw);

#endif
