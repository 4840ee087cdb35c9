/* SPDX-License-Identifier: MIT */
/*
 * mesh_ports.c - ports of processes on an SCC's cores, and a process of one core as the way outside for all (mesh.h).
 *
 * A port's address says its core, its domain and its place there, and all kernels have the same system: so whom a frame
 * is for is read from the address, and compared with the system. What is for no port, or for a group, also goes to the
 * core of the process that has the switch's uplink. What that process sends goes into the switches of all cores it is
 * for, and never back to it.
 */
#include <core/cpu.h>
#include <core/domain.h>
#include <errors.h>
#include <process/system_part.h>
#include <string.h>

#include "mesh.h"
#include "process_port.h"
#include "uplink.h"

enum { AT_CORE = 3, AT_DOMAIN, AT_PORT }; /* bytes of an address */
static const u8 prefix[AT_CORE] = { 0x02, 0x41, 0x50 };

static struct outside {
    struct process_port *port; /* this core has it; NULL: another, or none */
    u64 core;                  /* the bit of whose process has it; 0: none */
    u64 members;               /* cores with ports of processes */
} nets[N_SWITCHES];

static __init_text void learn_port(const struct sys_process *p, u8 said)
{
    struct outside *o = &nets[said & SYS_PORT_SWITCH];
    if (said & SYS_PORT_UPLINK)
        o->core = sys_cores(p) & -sys_cores(p);
    else if (said)
        o->members |= sys_cores(p);
}

__init_text void mesh_learn(void)
{
    for (unsigned i = 0; i < system_table->n_domains; i++) {
        const struct sys_domain *d = sys_domain(system_table, i);
        for (unsigned k = 0; k < SYS_MAX_PORTS && d->kind == SYS_KIND_PROCESS; k++)
            learn_port(sys_process(d), sys_process(d)->port[k]);
    }
}

/* Return the core of a process's port of this address, as a bit; 0: no port has it. */
static u64 port_of(unsigned net, const u8 *mac)
{
    unsigned core = mac[AT_CORE], index = mac[AT_PORT];
    if (memcmp(mac, prefix, sizeof(prefix)) || core >= SCC_CORES || mac[AT_DOMAIN] >= system_table->n_domains)
        return 0;
    const struct sys_domain *d = sys_domain(system_table, mac[AT_DOMAIN]);
    bool its = d->kind == SYS_KIND_PROCESS && index < SYS_MAX_PORTS && sys_process(d)->port[index] == (SYS_PORT | net);
    return its && sys_runs_on(sys_process(d), core) ? 1ull << core : 0;
}

/* Return the cores of ports for this address. */
static u64 ports_of(unsigned net, const u8 *mac)
{
    return mesh_guests(net, mac) | (mac[0] & 1 ? nets[net].members : port_of(net, mac));
}

u64 mesh_ports(unsigned net, const u8 *mac)
{
    u64 cores = ports_of(net, mac);
    return mac[0] & 1 || !cores ? cores | nets[net].core : cores;
}

int mesh_out(unsigned net, struct net_frame *f)
{
    struct process_port *p = nets[net].port;
    if (!p || !(f->to[0] & 1 || !ports_of(net, f->to)))
        return -ENODEV;
    return process_port_get(p, f);
}

/* This core's way outside sends a frame. What is for nobody is lost, as what has no room is. */
static int send_to_others(unsigned net, struct net_frame *f)
{
    u64 cores = ports_of(net, f->to);
    int err = cores || f->to[0] & 1 ? mesh_send(net, cores, f) : -ENOSPC;
    if (err == -ENOSPC)
        nets[net].port->port.lost++;
    return err;
}

/* Let `use` have the bytes as a frame, with interrupts off: there is one core. */
static int as_frame(int (*use)(unsigned net, struct net_frame *f), unsigned net, u8 *bytes, u32 length)
{
    s32 budget = NET_BUDGET;
    u64 next = 1;
    struct copied_frame c = { { uplink_piece, length, &budget, bytes, &next }, bytes };
    unsigned long flags = irq_save();
    int err = use(net, &c.f);
    irq_restore(flags);
    return err;
}

void mesh_came(unsigned net, struct net_switch *sw, u8 *bytes, u32 length)
{
    if (sw)
        uplink_forward(sw, NULL, bytes, length);
    as_frame(mesh_out, net, bytes, length);
}

/* --- processes' ports (process_port.h) ------------------------------------------------------------- */

struct net_switch *process_port_switch(const struct process_port *p) { return p->port.sw; }

__init_text void process_port_address(struct process_port *p)
{
    memcpy(p->mac, prefix, sizeof(prefix));
    p->mac[AT_CORE] = (u8)scc_core;
    p->mac[AT_DOMAIN] = (u8)p->process->domain->id;
    p->mac[AT_PORT] = p->index;
}

bool process_port_send(struct process_port *p, u8 *bytes, u32 n)
{
    bool lost = uplink_forward(p->port.sw, p->uplink ? NULL : &p->port, bytes, n);
    return lost || (p->uplink && as_frame(send_to_others, p->number, bytes, n) == -ENOSPC);
}

__init_text int process_uplink_claim(struct process_port *p)
{
    if (nets[p->number].port)
        return -EEXIST;
    nets[p->number].port = p;
    return 0;
}
