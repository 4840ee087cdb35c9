/* SPDX-License-Identifier: MIT */
/* net.h - the contract between a network device and its switch. */
#ifndef AMALGAM_VM_VIRTIO_NET_H
#define AMALGAM_VM_VIRTIO_NET_H

#include "virtio.h"

#define MAC_BYTES 6

#define FRAME_MIN   14
#define FRAME_MAX   1522 /* with a VLAN tag */
#define FRAME_MTU   1500
#define FRAME_CHAIN CHAIN_SHORT

struct virtio_net {
    struct virtio v;
    struct net_switch *sw;
    u8 to[MAC_BYTES]; /* where the frame that is being sent goes */
    u64 lost;         /* frames of this port that were sent to nobody, and frames for it that it had no buffer for */
    struct net_config {
        u8 mac[MAC_BYTES];
        u16 status, pairs, mtu;
    } config;
};
_Static_assert(offsetof(struct net_config, mtu) == 10 && sizeof(struct net_config) == 12, "virtio 1.2, 5.1.4");

/* An Ethernet frame that is being sent: in a sender's descriptors, or in one piece if it comes from Linux. */
struct net_frame {
    struct virtq *chain; /* queue with its chain; NULL: it is at `bytes` */
    u32 offset;          /* of the frame in the chain's readable bytes */
    const u8 *bytes;
    u32 length;
    s32 *budget; /* the budget that the copies are charged to */
    u8 *to;      /* its destination, if `next` is not 0 */
    u64 *next;   /* the port to go on with, counted from 1; 0: none was looked at. Of a chain: its queue's progress */
};

/* Copy the frame's bytes [from, from + n) to `to`. Returns false if the sender has rewritten its chain; the frame is
 * then dropped. */
bool net_frame_copy(struct net_frame *f, u32 from, void *to, u32 n);

/* Plug a port in. Returns 0, -ERANGE: no such switch, -ENOSPC: all ports are taken, -EEXIST: the address is taken.
 * Only when a domain is created. */
int net_switch_join(unsigned number, struct virtio_net *port);
/* Forward a frame of `from` (NULL: from Linux). Returns false if the budget ended first; *f->next is then the port to
 * continue with. The switch is locked. */
bool net_switch_forward(struct net_switch *sw, struct virtio_net *from, struct net_frame *f);
/* Copy the frame into the port's receive queue, or count it as lost if no buffer can hold it. Returns false if the
 * budget is too small: then call it again with a new one. The switch is locked. */
bool virtio_net_deliver(struct virtio_net *to, struct net_frame *f);

/* --- the uplink, a network of the Linux above (split_net.c) ----------------------------------------- */
/* A switch gets its first port: connect it to Linux, if Linux offers that. Only when a domain is created. */
void split_net_create(unsigned number, struct net_switch *sw);
/* Send a frame to Linux that is for no port, or for all. Returns 0, -ENODEV: there is no uplink; -ENOSPC: it is lost.
 * The switch is locked. */
int split_net_send(unsigned number, struct net_frame *f);
struct spinlock *net_switch_lock(struct net_switch *sw);

#endif
