/* SPDX-License-Identifier: MIT */
/* process_port.c - gives processes their ports; see process_port.h. */
#include "process_port.h"

#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <process/part.h>

_Static_assert(SYS_PORT_SWITCH < N_SWITCHES && PORT_PLACE >= FRAME_MAX, "each number is a switch's");

static struct process_port *ports[SYS_MAX_DOMAINS][SYS_MAX_PORTS];

static bool port_deliver(struct net_port *to, struct net_frame *f)
{
    process_port_get(container_of(to, struct process_port, port), f);
    return true;
}

/* The record */

static __init_text const char *check(const struct sys_header *h, const struct sys_domain *d)
{
    const struct sys_process *r = sys_process(d);
    for (unsigned i = 0; i < SYS_MAX_PORTS; i++) {
        if (r->port[i] & ~(SYS_PORT | SYS_PORT_UPLINK | SYS_PORT_SWITCH))
            return "a process's port is at no switch";
        if (r->port[i] && !(r->port[i] & SYS_PORT))
            return "a process has a switch and no port of it";
    }
    return NULL;
}

static __init_text int plug(struct process_port *p)
{
    if (p->uplink && MESH_PORTS)
        p->port.sw = net_switch_at(p->number);
    return p->uplink ? process_uplink_claim(p) : net_switch_join(p->number, &p->port);
}

static __init_text int make(struct process *process, u8 index, u8 said)
{
    struct process_port *p = pages_alloc(1);
    u8 *ring = p ? pages_alloc(PORT_FRAMES * PORT_PLACE / PAGE_SIZE) : NULL;
    if (!ring)
        return -ENOMEM;
    *p = (struct process_port){ .process = process, .index = index, .number = said & SYS_PORT_SWITCH, .ring = ring };
    p->object.kind = HANDLE_NET;
    p->uplink = said & SYS_PORT_UPLINK;
    if (!p->uplink)
        process_port_address(p);
    p->port = (struct net_port){ .deliver = port_deliver, .mac = p->mac, .owner = p };
    ports[process->domain->id][index] = p;
    int err = plug(p);
    if (err)
        ksnprintf(process->domain->reason, sizeof(process->domain->reason), "there is no %s of switch %u for it",
                  p->uplink ? "other uplink" : "port", p->number);
    return err;
}

static __init_text int map(struct process *p)
{
    int err = 0;
    for (u8 i = 0; i < SYS_MAX_PORTS && !err; i++)
        if (sys_process(p->domain->conf)->port[i])
            err = make(p, i, sys_process(p->domain->conf)->port[i]);
    return err;
}

/* Runs */

/* What came for another life is gone. A ring whose switch has no port yet is its own. */
static void set_runs(struct process_port *p, bool runs)
{
    struct net_switch *sw = process_port_switch(p);
    unsigned long flags = irq_save();
    if (sw)
        spin_lock(net_switch_lock(sw));
    p->put = p->taken = 0;
    p->runs = runs;
    if (sw)
        spin_unlock(net_switch_lock(sw));
    irq_restore(flags);
}

static int begin(struct process *p)
{
    int handle = 0;
    for (unsigned i = 0; i < SYS_MAX_PORTS && handle >= 0; i++) {
        struct process_port *port = ports[p->domain->id][i];
        if (!port)
            continue;
        set_runs(port, true);
        handle = handle_give(p, &port->object, HANDLE_READ | HANDLE_WRITE);
    }
    return handle < 0 ? handle : 0;
}

static int end(struct process *p)
{
    for (unsigned i = 0; i < SYS_MAX_PORTS; i++)
        if (ports[p->domain->id][i])
            set_runs(ports[p->domain->id][i], false);
    return 0;
}

PROCESS_PART(ports, .check = check, .at = { [PROCESS_MAPS] = map, [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });
