/* SPDX-License-Identifier: MIT */
/* net.h - what a network device and the switch that it is plugged into know of each other. */
#ifndef AMALGAM_VM_VIRTIO_NET_H
#define AMALGAM_VM_VIRTIO_NET_H

#include "virtio.h"

#define MAC_BYTES 6

struct virtio_net {
    struct virtio v;
    struct net_switch *sw;
    u8 mac[MAC_BYTES]; /* the device's configuration space */
};

/* Plug in; -ERANGE: no such switch, -ENOSPC: all ports are taken, -EEXIST: the address is. Domain creation. */
int net_switch_join(unsigned number, struct virtio_net *port);
/* Forward the frame of `length` bytes that follows `offset` bytes of the chain's readable stream. Switch locked. */
void net_switch_forward(struct virtio_net *from, struct vq_chain *frame, u32 offset, u32 length);
/* Put the frame into the port's receive queue, or drop it if there is no buffer that holds it. Switch locked. */
void virtio_net_deliver(struct virtio_net *to, struct vq_chain *frame, u32 offset, u32 length);

#endif
