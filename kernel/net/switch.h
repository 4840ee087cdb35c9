/* SPDX-License-Identifier: MIT */
/* switch.h - what a switch consists of: its ports (ports.c), and its way to a network outside (uplink.h). */
#ifndef AMALGAM_NET_SWITCH_H
#define AMALGAM_NET_SWITCH_H

#include <net/net.h>

#ifndef MESH_PORTS /* the build says 1 of an SCC's kernel whose processes may have ports of switches, on any core */
#define MESH_PORTS 0
#endif

#define N_SWITCHES 16
#define N_PORTS    16

/* A way out, in its owner's memory. */
struct net_uplink {
    /* Send a frame that is for no port, or for all. Returns 0, -ENODEV: nobody is there, -ENOSPC: there
     * is no room, and the frame is lost. The switch is locked. */
    int (*send)(struct net_uplink *uplink, struct net_frame *f);
};

struct net_switch {
    struct spinlock lock;
    unsigned n;
    struct net_port *port[N_PORTS];
    struct net_uplink *uplink; /* NULL: there is none */
};

#endif
