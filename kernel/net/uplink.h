/* SPDX-License-Identifier: MIT */
/* uplink.h - a switch's way to a network outside: of the Linux above (split_net.c), of an SCC's other cores
 * (mesh.c), a process (process_uplink.c), or none (uplink_none.c). */
#ifndef AMALGAM_NET_UPLINK_H
#define AMALGAM_NET_UPLINK_H

#include "switch.h"

/* The switch gets its first port: connect it to the network outside. Returns its uplink, or NULL: there is none. Only
 * when a domain is created. */
struct net_uplink *uplink_create(unsigned number, struct net_switch *sw);
/* A frame in one piece, which its sender cannot change any more; its piece() is uplink_piece(). */
struct copied_frame {
    struct net_frame f;
    u8 *bytes;
};

void *uplink_piece(struct net_frame *f, u32 from, u32 *n);
/* Forward a frame of `from` (NULL: from outside), which is in one piece that nobody else changes. Interrupts are on,
 * and the switch is not locked: it is, for one budget's work at a time. On an SCC whose processes may have ports,
 * returns whether this frame is lost, as it was sent to nobody or its way out has no room, and counted so; else false.
 */
bool uplink_forward(struct net_switch *sw, struct net_port *from, u8 *bytes, u32 length);

#endif
