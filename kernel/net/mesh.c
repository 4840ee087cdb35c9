/* SPDX-License-Identifier: MIT */
/*
 * mesh.c - the uplink of switches on an SCC: the same switches of the kernels of other cores (mesh.h).
 *
 * Addresses are not learned, as within a switch: all kernels have the same system, which says on which cores a port
 * is. A frame for another core's port goes into this core's ring; so does one for a group, once for all. The receiver
 * is interrupted, and a thread of it takes what is in the rings of those who have sent: with the priority of a domain
 * that does not say its own, so that others' frames take half of such a guest's core at most. A frame is lost if the
 * ring is full, as on a wire.
 */
#include "mesh.h"

#include <core/log.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <string.h>

#include "uplink.h"

#define N_ROUTES    32
#define PATIENCE_NS 100000000ull /* of a sender, until a receiver has had its time */

static struct route {
    u8 mac[MAC_BYTES];
    u8 net;
    u64 cores;
} routes[N_ROUTES];
static unsigned n_routes;
static u8 place[SCC_CORES]; /* 1 + the ring of each member */

static struct uplink {
    struct net_uplink out; /* for its switch */
    struct net_switch *sw;
} uplinks[N_SWITCHES];

/* Of each frame in this core's ring: who has not taken it when that was last looked at, and when it was sent. */
static struct sent {
    u64 to;
    ticks_t when;
} sent[MESH_FRAMES];
static u32 head; /* the serial of the next one */
static struct thread *taker;

/* Return the core's ring; NULL: it is no member. */
static struct mesh_ring *ring_of(unsigned core) { return place[core] ? &mesh_shared()->ring[place[core] - 1] : NULL; }

/* What was sent to a former life of this kernel is not this one's, and its own frames go on from where they were. */
static __init_text void join(unsigned core, unsigned ring)
{
    place[core] = (u8)(ring + 1);
    u32 at = READ_ONCE(mesh_shared()->ring[ring].head);
    mesh_shared()->taken[scc_core][core] = at;
    if (core == scc_core)
        head = at;
}

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
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (cores >> core & 1 && !place[core])
            join(core, ring);
}

/* --- to others ----------------------------------------------------------------------------------- */

/* Return the cores that have a port on the switch for this address, but this one, and whose kernels run. */
static u64 cores_for(unsigned net, const u8 *mac)
{
    u64 cores = 0, running = 0;
    for (unsigned i = 0; i < n_routes; i++)
        if (routes[i].net == net && (mac[0] & 1 || !memcmp(routes[i].mac, mac, MAC_BYTES)))
            cores |= routes[i].cores;
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (core != scc_core && cores >> core & 1 && scc_up(core))
            running |= 1ull << core;
    return running;
}

/* Returns whether all have taken the frame that was there, or have had their time. */
static bool is_free(struct sent *s, u32 serial)
{
    for (unsigned core = 0; core < SCC_CORES && s->to; core++)
        if (s->to >> core & 1 && (s32)(READ_ONCE(mesh_shared()->taken[core][scc_core]) - serial) > 0)
            s->to &= ~(1ull << core);
    return !s->to || time_now() - s->when > time_from_ns(PATIENCE_NS);
}

static void ring_all(u64 cores)
{
    for (unsigned core = 0; core < SCC_CORES; core++)
        if (cores >> core & 1) {
            scc_set_bit(mesh_shared()->waits[core]);
            scc_interrupt(core);
        }
}

static int to_mesh(struct net_uplink *out, struct net_frame *f)
{
    unsigned net = (unsigned)(container_of(out, struct uplink, out) - uplinks);
    struct mesh_ring *ring = ring_of(scc_core);
    struct sent *s = &sent[head % MESH_FRAMES];
    u64 to = cores_for(net, f->to);
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

/* --- from others --------------------------------------------------------------------------------- */

/* Copy the frame out of its ring, if it is this core's. Returns its length; 0: it is not, or not any more. */
static u32 take(const struct mesh_frame *slot, u32 serial, u32 *net, u8 *bytes)
{
    if (__atomic_load_n(&slot->serial, __ATOMIC_ACQUIRE) != serial ||
        !(READ_ONCE(slot->to[scc_core / 32]) >> scc_core % 32 & 1))
        return 0;
    u32 length = READ_ONCE(slot->length);
    *net = READ_ONCE(slot->net);
    if (length < FRAME_MIN || length > FRAME_MAX || *net >= N_SWITCHES)
        return 0;
    memcpy(bytes, slot->byte, length);
    mp_fence();
    return READ_ONCE(slot->serial) == serial ? length : 0;
}

/* Take what a core has in its ring for this one. What is more than the ring holds was sent to others. */
static void take_all(unsigned from)
{
    static u8 bytes[FRAME_MAX];
    u32 *taken = &mesh_shared()->taken[scc_core][from], net = 0, at = *taken;
    const struct mesh_ring *ring = ring_of(from);
    if (!ring)
        return;
    u32 end = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    if (end - at > MESH_FRAMES)
        at = end - MESH_FRAMES;
    while (at != end) {
        u32 length = take(&ring->frame[at % MESH_FRAMES], at, &net, bytes);
        __atomic_store_n(taken, ++at, __ATOMIC_RELEASE);
        if (length && uplinks[net].sw)
            uplink_forward(uplinks[net].sw, NULL, bytes, length);
    }
}

static u64 waiting(const u32 *words) { return (u64)READ_ONCE(words[1]) << 32 | READ_ONCE(words[0]); }

static void taker_run(void *arg)
{
    u32 *words = mesh_shared()->waits[scc_core];
    for (;;) {
        u64 from = __atomic_exchange_n(&words[0], 0, __ATOMIC_SEQ_CST);
        from |= (u64)__atomic_exchange_n(&words[1], 0, __ATOMIC_SEQ_CST) << 32;
        for (unsigned core = 0; core < SCC_CORES; core++)
            if (core != scc_core && from >> core & 1)
                take_all(core);
        if (!from)
            thread_block(TICKS_NEVER);
    }
}

void net_rang(void)
{
    if (taker && waiting(mesh_shared()->waits[scc_core]))
        thread_wake(taker);
}

static __init_text void begin(void)
{
    u32 *words = mesh_shared()->waits[scc_core];
    words[0] = words[1] = 0;
    taker = thread_create("mesh", 0, PRIO_NORMAL, taker_run, NULL, NULL, false);
    if (taker)
        thread_start(taker);
    else
        printk("net: no memory for the thread that takes frames of other cores\n");
}

__init_text struct net_uplink *uplink_create(unsigned number, struct net_switch *sw)
{
    struct uplink *w = &uplinks[number];
    w->out.send = to_mesh;
    w->sw = sw;
    if (!taker)
        begin();
    return &w->out;
}
