/* SPDX-License-Identifier: MIT */
/* process_uplink.c - a process as the way outside of a switch, on a board with one kernel; see process_port.h. */
#include <errors.h>
#include <string.h>

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

void process_port_address(struct process_port *p)
{
    memcpy(p->mac, ((u8[]){ 0x02, 0x41, 0x4d, 0x50, (u8)p->process->domain->id, p->index }), MAC_BYTES);
}

bool process_port_send(struct process_port *p, u8 *bytes, u32 n)
{
    struct net_switch *sw = process_port_switch(p);
    return sw && uplink_forward(sw, p->uplink ? NULL : &p->port, bytes, n);
}

static int send_out(struct net_uplink *out, struct net_frame *f)
{
    struct process_port *p = container_of(out, struct way_out, out)->port;
    return p ? process_port_get(p, f) : -ENODEV;
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
