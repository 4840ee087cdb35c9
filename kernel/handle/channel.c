/* SPDX-License-Identifier: MIT */
/*
 * channel.c - handles on their way from one process to another: kernel/api/handle.yaml describes the calls.
 *
 * A channel of the system file has two ends, each an object of one process, whose handle has the index of the tunnel
 * (tunnel_info). Each direction has a queue of QUEUED handles in the kernel's memory: the kernel does not read the
 * tunnel's. A handle in it is a copy. It is dropped when the process at either end ends, so no life receives what was
 * sent to another.
 */
#include <errors.h>
#include <generated/handle_calls.h>
#include <process/part.h>

#include "table.h"

#define QUEUED 8 /* handles in a queue, at most; a power of two, because the counters come round */

struct end {
    struct handle_object object;
    u8 channel, side; /* the channel's number in the system; 0: its domain_a */
    bool runs;        /* its process does */
    u32 put, taken;   /* handles that were put into and taken from the queue to it, counted for ever */
    struct handle queue[QUEUED];
};

static struct channel {
    struct spinlock lock; /* both ends but for their objects */
    struct end end[2];
} channels[SYS_MAX_CHANNELS];

/* Find the end of which `h` is a handle, and the other one. Returns 0; -EBADF: there is no handle; -EINVAL: of another
 * kind; -EACCES: the channel is withdrawn. */
static int find(const struct process *p, const struct handle *h, struct end **own, struct end **other)
{
    if (!h->object)
        return -EBADF;
    if (h->object->kind != HANDLE_CHANNEL)
        return -EINVAL;
    *own = container_of(h->object, struct end, object);
    *other = &channels[(*own)->channel].end[!(*own)->side];
    return READ_ONCE(p->tunnels) >> (*own)->channel & 1 ? 0 : -EACCES;
}

/* Returns 0, or why a handle is not sent with these rights. */
static int may_send(const struct handle *h, u32 rights)
{
    if (!h->object)
        return -EBADF;
    if (READ_ONCE(h->object->generation) != h->generation)
        return -ESTALE;
    return h->rights & HANDLE_SEND && !(rights & ~(h->rights & ~HANDLE_OWN)) ? 0 : -EPERM;
}

static int put(struct end *to, const struct handle *h)
{
    struct spinlock *lock = &channels[to->channel].lock;
    spin_lock_here(lock);
    int err = !to->runs ? -EPIPE : to->put - to->taken == QUEUED ? -EAGAIN : 0;
    if (!err)
        to->queue[to->put++ % QUEUED] = *h;
    spin_unlock(lock);
    return err;
}

s64 handle_call_handle_send(struct user *u, u32 channel, u32 handle, u32 rights)
{
    const struct process_thread *t = container_of(u, struct process_thread, user);
    struct handles *of = handles_of(t->process);
    struct end *own, *other;
    spin_lock_here(&of->lock);
    struct handle through = of->handle[channel], sent = of->handle[handle];
    spin_unlock(&of->lock);
    int err = find(t->process, &through, &own, &other);
    if (!err)
        err = may_send(&sent, rights);
    sent.rights = rights;
    return err ? err : put(other, &sent);
}

/* Under the lock of the table. */
static s64 receive(struct process *p, const struct handle *through)
{
    struct end *own, *other;
    s64 result = find(p, through, &own, &other);
    if (result)
        return result;
    struct spinlock *lock = &channels[own->channel].lock;
    spin_lock_here(lock);
    result = own->put == own->taken ? -EAGAIN : handle_add(p, &own->queue[own->taken % QUEUED]);
    own->taken += result >= 0;
    spin_unlock(lock);
    return result;
}

s64 handle_call_handle_receive(struct user *u, u32 channel)
{
    const struct process_thread *t = container_of(u, struct process_thread, user);
    struct handles *of = handles_of(t->process);
    spin_lock_here(&of->lock);
    s64 result = receive(t->process, &of->handle[channel]);
    spin_unlock(&of->lock);
    return result;
}

/* The process's ends begin or end with its run: nothing is on its way then. */
static void set_ends(struct process *p, bool runs)
{
    for (unsigned i = 0; i < p->n_channels; i++) {
        struct channel *c = &channels[p->channel[i]];
        u8 side = sys_channel(system_table, p->channel[i])->domain_a != p->domain->id;
        unsigned long flags = spin_lock_irqsave(&c->lock);
        c->end[side].runs = runs;
        for (unsigned k = 0; k < 2; k++)
            c->end[k].taken = c->end[k].put;
        spin_unlock_irqrestore(&c->lock, flags);
    }
}

/* Only these have indices below n_channels. */
static int begin(struct process *p)
{
    struct handles *of = handles_of(p);
    for (unsigned i = 0; i < p->n_channels; i++) {
        u8 n = p->channel[i], side = sys_channel(system_table, n)->domain_a != p->domain->id;
        struct end *e = &channels[n].end[side];
        e->object.kind = HANDLE_CHANNEL;
        e->channel = n;
        e->side = side;
        channels[n].end[!side].channel = n;
        of->handle[i] = (struct handle){ &e->object, 0, HANDLE_READ | HANDLE_WRITE };
    }
    set_ends(p, true);
    return 0;
}

static int end(struct process *p)
{
    set_ends(p, false);
    return 0;
}

PROCESS_PART(handles_of_channels, .at = { [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });
