/* SPDX-License-Identifier: MIT */
/* uplink.h - a switch's way to a network outside: of the Linux above (split_net.c), or none (uplink_none.c). */
#ifndef AMALGAM_NET_UPLINK_H
#define AMALGAM_NET_UPLINK_H

#include "switch.h"

/* The switch gets its first port: connect it to the network outside. Returns its uplink, or NULL: there is none. Only
 * when a domain is created. */
struct net_uplink *uplink_create(unsigned number, struct net_switch *sw);

#endif
