/* SPDX-License-Identifier: MIT */
/*
 * switch.c - hands frames from port to port of one switch.
 *
 * Addresses are not learned: a port's address is the one in the system file. A unicast frame goes to the port with its
 * destination address, a group frame to all other ports. Other frames go to the uplink, if the switch has one.
 *
 * The lock guards each port and what its deliver() changes: of a guest's device, the queues and the interrupt state
 * (vm/virtio/virtio.h). It is held for one budget's work of one sender, so a guest can only delay guests on the same
 * switch, by one budget at a time.
 */
#include <errors.h>
#include <string.h>
#include "switch.h"

struct spinlock *net_switch_lock(struct net_switch *sw) { return &sw->lock; }

bool net_frame_copy(struct net_frame *f, void *to, u32 n)
{
    for (u32 done = 0; done < n;) {
        u32 part = n - done;
        void *at = f->piece(f, done, &part);
        if (!at)
            return false;
        *f->budget -= part;
        memcpy((u8 *)to + done, at, part);
        done += part;
    }
    return true;
}

/* A port may need half a budget to look for room. */
static bool must_wait(struct net_frame *f, unsigned port)
{
    *f->next = port + 1;
    if (*f->budget >= NET_BUDGET / 2)
        return false;
    *f->budget = 0;
    return true;
}

bool net_switch_forward(struct net_switch *sw, struct net_port *from, struct net_frame *f)
{
    if (!*f->next) {
        if (!net_frame_copy(f, f->to, MAC_BYTES))
            return true;
        *f->next = 1;
    }
    bool group = f->to[0] & 1, found = false;
    for (unsigned i = (unsigned)*f->next - 1; i < sw->n; i++) {
        struct net_port *to = sw->port[i];
        bool its = !memcmp(to->mac, f->to, MAC_BYTES);
        found |= its;
        if (to == from || !(group || its))
            continue;
        if (must_wait(f, i) || !to->deliver(to, f))
            return false;
    }
    if (from && !found) {
        if (must_wait(f, sw->n))
            return false;
        int err = sw->uplink ? sw->uplink->send(sw->uplink, f) : -ENODEV;
        if (err == -ENOSPC || (err && !group))
            from->lost++;
    }
    return true;
}
