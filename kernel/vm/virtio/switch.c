/* SPDX-License-Identifier: MIT */
/*
 * switch.c - connects the network devices of one `net` number.
 *
 * Addresses are not learned: a port's address is the one in the system file. A unicast frame goes to the port with its
 * destination address, a group frame to all other ports. Other frames go to the uplink, if the switch has one
 * (split_net.c). A port is plugged in when its domain is created and stays. Frames for a stopped guest go into its
 * memory, which its next start clears.
 *
 * The lock guards the queues and the interrupt state of each port (virtio.h). It is held for one exit's work of one
 * sender, so a guest can only delay guests on the same switch, by one budget at a time.
 */
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "net.h"

/* Without split_net.c switches have no uplink. */
__init_text __optional void split_net_create(unsigned number, struct net_switch *sw) {}
__optional int split_net_send(unsigned number, struct net_frame *f) { return -ENODEV; }

#define N_SWITCHES 16
#define N_PORTS    16

struct net_switch {
    struct spinlock lock;
    unsigned n;
    struct virtio_net *port[N_PORTS];
};

static struct net_switch switches[N_SWITCHES];

__init_text int net_switch_join(unsigned number, struct virtio_net *port)
{
    if (number >= N_SWITCHES)
        return -ERANGE;
    struct net_switch *sw = &switches[number];
    int err = 0;
    if (!sw->n)
        split_net_create(number, sw);
    unsigned long flags = spin_lock_irqsave(&sw->lock);
    for (unsigned i = 0; i < sw->n; i++)
        if (!memcmp(sw->port[i]->config.mac, port->config.mac, MAC_BYTES))
            err = -EEXIST;
    if (!err && sw->n == N_PORTS)
        err = -ENOSPC;
    if (!err) {
        port->sw = sw;
        port->v.shared = &sw->lock;
        sw->port[sw->n++] = port;
    }
    spin_unlock_irqrestore(&sw->lock, flags);
    return err;
}

void net_switch_leave(struct vm *vm)
{
    for (unsigned n = 0; n < N_SWITCHES; n++) {
        struct net_switch *sw = &switches[n];
        unsigned long flags = spin_lock_irqsave(&sw->lock);
        unsigned stay = 0;
        for (unsigned i = 0; i < sw->n; i++)
            if (sw->port[i]->v.dev.vm != vm)
                sw->port[stay++] = sw->port[i];
        sw->n = stay;
        spin_unlock_irqrestore(&sw->lock, flags);
    }
}

void net_switch_stats(struct vm *vm)
{
    for (unsigned n = 0; n < N_SWITCHES; n++)
        for (unsigned i = 0; i < switches[n].n; i++)
            if (switches[n].port[i]->v.dev.vm == vm)
                printk("  net %u: %llu frames lost\n", n, READ_ONCE(switches[n].port[i]->lost));
}

struct spinlock *net_switch_lock(struct net_switch *sw) { return &sw->lock; }

/* Measuring a port's buffer may cost half a budget. */
static bool must_wait(struct net_frame *f, unsigned port)
{
    *f->next = port + 1;
    if (*f->budget >= VIRTIO_BUDGET / 2)
        return false;
    *f->budget = 0;
    return true;
}

bool net_switch_forward(struct net_switch *sw, struct virtio_net *from, struct net_frame *f)
{
    if (!*f->next) {
        if (!net_frame_copy(f, 0, f->to, MAC_BYTES))
            return true;
        *f->next = 1;
    }
    bool group = f->to[0] & 1, found = false;
    for (unsigned i = (unsigned)*f->next - 1; i < sw->n; i++) {
        struct virtio_net *to = sw->port[i];
        bool its = !memcmp(to->config.mac, f->to, MAC_BYTES);
        found |= its;
        if (to == from || !(group || its))
            continue;
        if (must_wait(f, i) || !virtio_net_deliver(to, f))
            return false;
    }
    if (from && !found) {
        if (must_wait(f, sw->n))
            return false;
        int err = split_net_send((unsigned)(sw - switches), f);
        if (err == -ENOSPC || (err && !group))
            from->lost++;
    }
    return true;
}
