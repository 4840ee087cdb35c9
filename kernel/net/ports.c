/* SPDX-License-Identifier: MIT */
/*
 * ports.c - plugs ports into switches, of whose numbers the system file speaks (`net` of its network devices).
 *
 * A switch that gets its first port is connected to the network outside, if there is one (uplink.h). A port is plugged
 * in when its domain is created and stays. Frames for a stopped guest go into its memory, which its next start clears.
 */
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "switch.h"
#include "uplink.h"

static struct net_switch switches[N_SWITCHES];

__init_text int net_switch_join(unsigned number, struct net_port *port)
{
    if (number >= N_SWITCHES)
        return -ERANGE;
    struct net_switch *sw = &switches[number];
    int err = 0;
    if (!sw->n)
        sw->uplink = uplink_create(number, sw);
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

__init_text struct net_switch *net_switch_at(unsigned number)
{
    switches[number].uplink = uplink_create(number, &switches[number]);
    return &switches[number];
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
