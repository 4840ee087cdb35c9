/* SPDX-License-Identifier: MIT */
/* process_frames.c - what comes for processes, by their ports or as a switch's uplink; see process_port.h. */
#include <core/cpu.h>
#include <errors.h>
#include <process/waiters.h>

#include "process_port.h"
#include "uplink.h"

static struct way_out {
    struct net_uplink out;
    struct net_switch *sw;     /* NULL: it has no port yet */
    struct process_port *port; /* NULL: no process has the uplink */
} ways[N_SWITCHES];

struct net_switch *process_port_switch(const struct process_port *p)
{
    return p->uplink ? READ_ONCE(ways[p->number].sw) : p->port.sw;
}

/* A thread that has looked before this one has put is on the list by then (process_calls.c). */
static void wake(struct process_port *p)
{
    spin_lock_here(&p->process->lock);
    process_waiters_wake_here(p->process, process_port_word(p), 1);
    spin_unlock(&p->process->lock);
}

bool process_port_take(struct process_port *p, struct net_frame *f)
{
    u32 place = p->put % PORT_FRAMES;
    if (!p->runs || p->put - p->taken == PORT_FRAMES)
        return false;
    if (!net_frame_copy(f, p->ring + place * PORT_PLACE, f->length))
        return true; /* its sender has taken it back */
    p->length[place] = (u16)f->length;
    WRITE_ONCE(p->put, p->put + 1);
    *f->budget -= NET_WAKE_COST;
    wake(p);
    return true;
}

static int send_out(struct net_uplink *out, struct net_frame *f)
{
    struct process_port *p = container_of(out, struct way_out, out)->port;
    if (!p)
        return -ENODEV;
    if (process_port_take(p, f))
        return 0;
    p->port.lost++;
    return -ENOSPC;
}

__init_text struct net_uplink *uplink_create(unsigned number, struct net_switch *sw)
{
    ways[number].out.send = send_out;
    WRITE_ONCE(ways[number].sw, sw);
    return &ways[number].out;
}

__init_text int process_uplink_claim(struct process_port *p)
{
    if (ways[p->number].port)
        return -EEXIST;
    ways[p->number].port = p;
    return 0;
}
