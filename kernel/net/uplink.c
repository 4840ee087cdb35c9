/* SPDX-License-Identifier: MIT */
/* uplink.c - frames from a network outside, or from a process, into a switch. */
#include "uplink.h"

void *uplink_piece(struct net_frame *f, u32 from, u32 *n)
{
    return container_of(f, struct copied_frame, f)->bytes + from;
}

/* Each exit's work of a guest is one budget, so is each time that the switch is locked here. */
bool uplink_forward(struct net_switch *sw, struct net_port *from, u8 *bytes, u32 length)
{
    s32 budget;
    u64 next = 1;
    struct copied_frame c = { { uplink_piece, length, &budget, bytes, &next }, bytes };
    bool lost = false;
    for (bool done = false; !done;) {
        budget = NET_BUDGET;
        spin_lock_by_tries(net_switch_lock(sw));
        u64 before = MESH_PORTS && from ? from->lost : 0; /* with the lock, nothing else for or from the port counts */
        done = net_switch_forward(sw, from, &c.f);
        lost |= MESH_PORTS && from && from->lost != before;
        spin_unlock(net_switch_lock(sw));
        irq_enable();
    }
    return lost;
}
