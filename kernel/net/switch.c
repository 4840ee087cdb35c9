/* SPDX-License-Identifier: MIT */
/*
 * switch.c - connects the ports of one number (`net` of a system's network devices).
 *
 * Addresses are not learned: a port's address is the one in the system file. A unicast frame goes to the port with its
 * destination address, a group frame to all other ports. Other frames go to the uplink, if the switch has one
 * (uplink.h). A port is plugged in when its domain is created and stays. Frames for a stopped guest go into its
 * memory, which its next start clears.
 *
 * The lock guards each port and what its deliver() changes: of a guest's device, the queues and the interrupt state
 * (vm/virtio/virtio.h). It is held for one budget's work of one sender, so a guest can only delay guests on the same
 * switch, by one budget at a time.
 */
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "uplink.h"

#define N_PORTS 16

struct net_switch {
    struct spinlock lock;
    unsigned n;
    struct net_port *port[N_PORTS];
};

static struct net_switch switches[N_SWITCHES];

__init_text int net_switch_join(unsigned number, struct net_port *port)
{
    if (number >= N_SWITCHES)
        return -ERANGE;
    struct net_switch *sw = &switches[number];
    int err = 0;
    if (!sw->n)
        uplink_create(number, sw);
    unsigned long flags = spin_lock_irqsave(&sw->lock);
    for (unsigned i = 0; i < sw->n; i++)
        if (!memcmp(sw->port[i]->mac, port->mac, MAC_BYTES))
            err = -EEXIST;
    if (!err && sw->n == N_PORTS)
        err = -ENOSPC;
    if (!err) {
        port->sw = sw;
        sw->port[sw->n++] = port;
    }
    spin_unlock_irqrestore(&sw->lock, flags);
    return err;
}

void net_switch_leave(const void *owner)
{
    for (unsigned n = 0; n < N_SWITCHES; n++) {
        struct net_switch *sw = &switches[n];
        unsigned long flags = spin_lock_irqsave(&sw->lock);
        unsigned stay = 0;
        for (unsigned i = 0; i < sw->n; i++)
            if (sw->port[i]->owner != owner)
                sw->port[stay++] = sw->port[i];
        sw->n = stay;
        spin_unlock_irqrestore(&sw->lock, flags);
    }
}

void net_switch_stats(const void *owner)
{
    for (unsigned n = 0; n < N_SWITCHES; n++)
        for (unsigned i = 0; i < switches[n].n; i++)
            if (switches[n].port[i]->owner == owner)
                printk("  net %u: %llu frames lost\n", n, READ_ONCE(switches[n].port[i]->lost));
}

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
        int err = uplink_send((unsigned)(sw - switches), f);
        if (err == -ENOSPC || (err && !group))
            from->lost++;
    }
    return true;
}
