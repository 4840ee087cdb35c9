/* SPDX-License-Identifier: MIT */
/* uplink.h - a switch's way to a network outside: of the Linux above (split_net.c), or none (uplink_none.c). */
#ifndef AMALGAM_NET_UPLINK_H
#define AMALGAM_NET_UPLINK_H

#include <net/net.h>

#define N_SWITCHES 16

/* The switch gets its first port: connect it to the network outside, if there is one. Only when a domain is created. */
void uplink_create(unsigned number, struct net_switch *sw);
/* Send a frame there that is for no port, or for all. Returns 0, -ENODEV: there is no uplink; -ENOSPC: it is lost. The
 * switch is locked. */
int uplink_send(unsigned number, struct net_frame *f);

#endif
