/* SPDX-License-Identifier: MIT */
/*
 * mesh_send.c - frames from this core to others of an SCC (mesh.h): where guests' ports are, and this core's ring.
 *
 * Addresses are not learned, as within a switch: all kernels have the same system, which says on which cores a port
 * is. A frame for another core's port goes into this core's ring; so does one for a group, once for all. It is lost if
 * the ring is full, as on a wire.
 */
#include "mesh.h"

#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <string.h>

#define N_ROUTES    32
#define PATIENCE_NS 100000000ull /* of a sender, until a receiver has had its time */

static struct route {
    u8 mac[MAC_BYTES];
    u8 net;
    u64 cores;
} routes[N_ROUTES];
static unsigned n_routes;
static u8 place[SCC_CORES]; /* 1 + the ring of each member */

/* Of each frame in this core's ring: who has not taken it when that was last looked at, and when it was sent. */
static struct sent {
    u64 to;
    ticks_t when;
} sent[MESH_FRAMES];
static u32 head; /* the serial of the next one */

struct mesh_ring *mesh_ring_of(unsigned core) { return place[core] ? &mesh_shared()->ring[place[core] - 1] : NULL; }

__init_text void mesh_join(unsigned core, unsigned ring)
{
    place[core] = (u8)(ring + 1);
    u32 at = READ_ONCE(mesh_shared()->ring[ring].head);
    mesh_shared()->taken[scc_core][core] = at;
    if (core == scc_core)
        head = at;
}

/* With processes' ports each core has the ring of its number. */
__init_text void net_route(unsigned net, const u8 *mac, u64 cores, unsigned ring)
{
    if (n_routes == N_ROUTES || ring >= MESH_MEMBERS || cores & (cores - 1)) {
        printk("net: address %u is too much for other cores, or on several\n", n_routes + 1);
        return;
    }
    struct route *r = &routes[n_routes++];
    memcpy(r->mac, mac, MAC_BYTES);
    r->net = (u8)net;
    r->cores = cores;
    for (unsigned core = 0; core < SCC_CORES && !MESH_PORTS; core++)
        if (cores >> core & 1 && !place[core])
            mesh_join(core, ring);
}

u64 mesh_guests(unsigned net, const u8 *mac)
{
    u64 cores = 0;
    for (unsigned i = 0; i < n_routes; i++)
        if (routes[i].net == net && (mac[0] & 1 || !memcmp(routes[i].mac, mac, MAC_BYTES)))
            cores |= routes[i].cores;
    return cores;
}

/* Return those of the cores whose kernels run, but this one. */
static u64 others(u64 cores)
{
    u64 running = cores &= ~(1ull << scc_core);
    while (cores) {
        unsigned core = mesh_next(&cores);
        if (core >= SCC_CORES || !scc_up(core))
            running &= ~(1ull << core);
    }
    return running;
}

/* Returns whether all have taken the frame that was there, or have had their time. */
static bool is_free(struct sent *s, u32 serial)
{
    for (u64 left = s->to; left;) {
        unsigned core = mesh_next(&left);
        if ((s32)(READ_ONCE(mesh_shared()->taken[core][scc_core]) - serial) > 0)
            s->to &= ~(1ull << core);
    }
    return !s->to || time_now() - s->when > time_from_ns(PATIENCE_NS);
}

static void ring_all(u64 cores)
{
    while (cores) {
        unsigned core = mesh_next(&cores);
        scc_set_bit(mesh_shared()->waits[core]);
        scc_interrupt(core);
    }
}

int mesh_send(unsigned net, u64 to, struct net_frame *f)
{
    struct mesh_ring *ring = mesh_ring_of(scc_core);
    struct sent *s = &sent[head % MESH_FRAMES];
    to = others(to);
    if (!to || !ring)
        return -ENODEV;
    if (!is_free(s, head - MESH_FRAMES))
        return -ENOSPC;
    struct mesh_frame *slot = &ring->frame[head % MESH_FRAMES];
    WRITE_ONCE(slot->serial, head - 1); /* no frame of this place has it */
    mp_fence();
    if (!net_frame_copy(f, slot->byte, f->length))
        return -ENOSPC;
    slot->length = f->length;
    slot->net = net;
    slot->to[0] = (u32)to;
    slot->to[1] = (u32)(to >> 32);
    *s = (struct sent){ to, time_now() };
    mp_fence();
    WRITE_ONCE(slot->serial, head);
    __atomic_store_n(&ring->head, ++head, __ATOMIC_RELEASE);
    mp_fence();
    *f->budget -= NET_WAKE_COST;
    ring_all(to);
    return 0;
}
