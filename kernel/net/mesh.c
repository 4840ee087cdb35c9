/* SPDX-License-Identifier: MIT */
/*
 * mesh.c - the uplink of switches on an SCC: the same switches of the kernels of other cores (mesh.h).
 *
 * What is for no port of this core goes to others (mesh_send.c). The receiver of a frame is interrupted, and a thread
 * of it takes what is in the rings of those who have sent: with the priority of a domain that does not say its own, so
 * that others' frames take half of such a guest's core at most.
 */
#include "mesh.h"

#include <core/log.h>
#include <core/sched.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>
#include <string.h>

#include "uplink.h"

static struct uplink {
    struct net_uplink out; /* for its switch */
    struct net_switch *sw;
} uplinks[N_SWITCHES];

static struct thread *taker;

static int to_mesh(struct net_uplink *out, struct net_frame *f)
{
    unsigned net = (unsigned)(container_of(out, struct uplink, out) - uplinks);
    u64 to = MESH_PORTS ? mesh_ports(net, f->to) : mesh_guests(net, f->to);
    int outside = MESH_PORTS ? mesh_out(net, f) : -ENODEV, err = mesh_send(net, to, f);
    return err == -ENODEV ? outside : err;
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
    const struct mesh_ring *ring = mesh_ring_of(from);
    if (!ring)
        return;
    u32 end = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
    if (end - at > MESH_FRAMES)
        at = end - MESH_FRAMES;
    while (at != end) {
        u32 length = take(&ring->frame[at % MESH_FRAMES], at, &net, bytes);
        __atomic_store_n(taken, ++at, __ATOMIC_RELEASE);
        if (MESH_PORTS && length)
            mesh_came(net, uplinks[net].sw, bytes, length);
        else if (length && uplinks[net].sw)
            uplink_forward(uplinks[net].sw, NULL, bytes, length);
        sched_poll(); /* for a more urgent thread that the frame has woken */
    }
}

static u64 waiting(const u32 *words) { return (u64)READ_ONCE(words[1]) << 32 | READ_ONCE(words[0]); }

static void taker_run(void *arg)
{
    u32 *words = mesh_shared()->waits[scc_core];
    const u64 others = ((1ull << SCC_CORES) - 1) & ~(1ull << scc_core);
    for (;;) {
        u64 from = __atomic_exchange_n(&words[0], 0, __ATOMIC_SEQ_CST);
        from |= (u64)__atomic_exchange_n(&words[1], 0, __ATOMIC_SEQ_CST) << 32;
        if (!from)
            thread_block(TICKS_NEVER);
        for (from &= others; from;)
            take_all(mesh_next(&from));
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
    if (taker)
        return;
    for (unsigned core = 0; core < SCC_CORES && MESH_PORTS; core++)
        mesh_join(core, core);
    if (MESH_PORTS)
        mesh_learn();
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
    begin();
    return &w->out;
}
