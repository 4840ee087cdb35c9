/* SPDX-License-Identifier: MIT */
/*
 * net/net.h - Ethernet switches, each with a number, and the contract between a switch and what is plugged into it.
 *
 * A sender hands a frame to its switch (net_switch_forward), which calls deliver() of each port that the frame is for.
 * Whoever sends, copies: a frame's bytes are read by its sender's piece(), and a port takes them where it wants them.
 * Frames for no port go to the switch's uplink, if there is one: a network of the Linux above (split_net.c), the
 * switches of the same number on an SCC's other cores (mesh.c), or a process (process_uplink.c, mesh_ports.c).
 *
 * Work is charged to the sender's budget, in bytes copied, so that a switch is locked for one budget's work at most.
 * Who wakes a process or rings other cores charges that, too.
 */
#ifndef AMALGAM_NET_NET_H
#define AMALGAM_NET_NET_H

#include <core/lock.h>
#include <types.h>

#define MAC_BYTES 6

#define FRAME_MIN 14
#define FRAME_MAX 1522 /* with a VLAN tag */
#define FRAME_MTU 1500

#define NET_BUDGET    (32 * (s32)KIB) /* of one lock of a switch */
#define NET_WAKE_COST 8192            /* as vm/virtio has it for an interrupt */

struct net_switch;

/* An Ethernet frame that is being sent. */
struct net_frame {
    /* Return up to *n contiguous bytes of the frame, where the last piece ended, or the first ones if `from` is 0. *n
     * becomes their number. NULL: the sender has taken them back meanwhile; the frame is then dropped. */
    void *(*piece)(struct net_frame *f, u32 from, u32 *n);
    u32 length;  /* FRAME_MIN to FRAME_MAX */
    s32 *budget; /* the budget that the copies are charged to */
    u8 *to;      /* its destination, MAC_BYTES, if *next is not 0 */
    u64 *next;   /* the port to go on with, counted from 1; 0: none was looked at */
};

/* A port, in its owner's memory. */
struct net_port {
    /* Take the frame, or count it as lost if there is no room for it. Returns false if the budget is too small: then it
     * is called again with a new one. The switch is locked. */
    bool (*deliver)(struct net_port *to, struct net_frame *f);
    const u8 *mac;         /* its address, MAC_BYTES */
    const void *owner;     /* whom net_switch_leave() and net_switch_stats() name */
    struct net_switch *sw; /* set by net_switch_join() */
    u64 lost;              /* frames of this port that were sent to nobody, and frames for it that it had no room for */
};

/* Copy the frame's first n bytes to `to`. Returns false if the frame is to be dropped. */
bool net_frame_copy(struct net_frame *f, void *to, u32 n);

/* Plug a port in. Returns 0, -ERANGE: no such switch, -ENOSPC: all ports are taken, -EEXIST: the address is taken.
 * Only when a domain is created. */
int net_switch_join(unsigned number, struct net_port *port);
/* On an SCC: the port of this address on a switch is on the core of the one bit of `cores`, which sends to others by
 * `ring` if no earlier address has named it: no two cores have the same. Of each address of the system, before a port
 * of a later domain is plugged in; mesh_send.c. */
void net_route(unsigned number, const u8 *mac, u64 cores, unsigned ring);
/* On an SCC: return the switch, connected to those of other cores even if this core has no port in it. Boot. */
struct net_switch *net_switch_at(unsigned number);
/* Unplug all ports of this owner. None of the switches' senders runs. */
void net_switch_leave(const void *owner);
/* Print how many frames the owner's ports have lost. A thread that may write to the console. */
void net_switch_stats(const void *owner);
/* Forward a frame of `from` (NULL: from the uplink). Returns false if the budget ended first; *f->next is then the port
 * to continue with. The switch is locked. */
bool net_switch_forward(struct net_switch *sw, struct net_port *from, struct net_frame *f);
struct spinlock *net_switch_lock(struct net_switch *sw);

#endif
