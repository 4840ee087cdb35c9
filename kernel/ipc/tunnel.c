/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - Proteus' inter-partition communication: memory that two domains share because the system file says so, and
 * a doorbell in each direction.
 *
 * The kernel maps the memory, writable for the domains that the table permits to write, and never reads it. Rings
 * coalesce: an interrupt says that the peer rang, not how often. Withdrawing unmaps the memory on both sides and
 * disables the doorbell. Granting maps the same memory again.
 *
 * An end may be the Linux above the kernel. The memory is then part of the area that the kernel shares with it
 * (core/split.h), and withdrawing unmaps it for the guest only.
 */
#include <core/channel.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <core/split.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

static struct tunnel {
    const struct sys_channel *conf;
    paddr_t memory; /* 0: not allocated yet */
    u32 size;       /* bytes of memory to free; 0: none; kept here because the table may be gone then */
    bool granted;
    unsigned entry;              /* with the host: entry of the shared area */
} tunnels[SYS_MAX_CHANNELS + 1]; /* the last one has no conf */

static unsigned number(const struct tunnel *t) { return t - tunnels; }

static bool ends_at(const struct tunnel *t, const struct domain *d)
{
    return t->conf->domain_a == d->id || t->conf->domain_b == d->id;
}

/* Bit 0: the domain may write; bit 1: its peer may. */
static unsigned rights(const struct tunnel *t, const struct domain *d)
{
    u32 flags = t->conf->flags & (SYS_CHANNEL_A_WRITES | SYS_CHANNEL_B_WRITES);
    return t->conf->domain_a == d->id ? flags : flags >> 1 | (flags & SYS_CHANNEL_A_WRITES) << 1;
}
_Static_assert(SYS_CHANNEL_A_WRITES == 1 && SYS_CHANNEL_B_WRITES == 2, "rights()");

static bool with_host(const struct tunnel *t) { return t->conf->domain_b == SYS_HOST; }

static u16 peer_of(const struct tunnel *t, const struct domain *d)
{
    return t->conf->domain_a == d->id ? t->conf->domain_b : t->conf->domain_a;
}

static bool runs(unsigned id) { return READ_ONCE(domains[id].state) == DOMAIN_RUNNING; }

static int share(const struct tunnel *t, unsigned id, bool on)
{
    struct domain *d = &domains[id];
    if (!d->ops || !d->ops->share || d->state == DOMAIN_EMPTY)
        return -ENODEV;
    return d->ops->share(d, number(t), on ? t->memory : 0, t->conf->size, rights(t, d) & 1 ? S2_WRITE : 0);
}

static bool rung_by_host(void *arg);

static __init_text bool allocate_with_host(struct tunnel *t)
{
    u32 flags = t->conf->flags & SYS_CHANNEL_B_WRITES ? BACKEND_LINUX_WRITES : 0;
    struct split_entry e = { BACKEND_TUNNEL, flags, t->conf->name, 0, t->conf->size, rung_by_host, t };
    void *memory;
    int entry = split_claim(&e, &memory);
    if (entry < 0)
        return false;
    t->entry = (unsigned)entry;
    t->memory = virt_to_phys(memory);
    t->granted = true;
    return true;
}

static __init_text bool allocate(struct tunnel *t)
{
    if (t->memory)
        return true;
    if (with_host(t))
        return allocate_with_host(t);
    paddr_t pa = frames_alloc(t->conf->size >> PAGE_SHIFT, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return false;
    memset(phys_to_virt(pa), 0, t->conf->size);
    t->memory = pa;
    t->size = t->conf->size;
    t->granted = true;
    return true;
}

/* A domain that another kernel of the board runs has no end here. */
static __init_text void attach(struct domain *d)
{
    for (struct tunnel *t = tunnels; t->conf && d->ops->share; t++)
        if (ends_at(t, d) && (!allocate(t) || share(t, d->id, true)))
            printk("tunnel %s: cannot be given to %s\n", t->conf->name, d->conf->name);
}

/* Return the domain's tunnel number `index`, in the table's order. */
static struct tunnel *tunnel_of(const struct domain *d, unsigned index)
{
    for (struct tunnel *t = tunnels; t->conf; t++)
        if (ends_at(t, d) && index-- == 0)
            return t;
    return NULL;
}

static s64 info(const struct domain *d, unsigned index, enum channel_field field)
{
    const struct tunnel *t = tunnel_of(d, index);
    if (!t)
        return -ENOENT;
    const u32 answer[CHANNEL_FIELDS] = {
        [CHANNEL_PLACE] = number(t),
        [CHANNEL_SIZE] = t->conf->size,
        [CHANNEL_BELL] = number(t),
        [CHANNEL_RIGHTS] = rights(t, d),
        [CHANNEL_PEER] = peer_of(t, d),
        [CHANNEL_GRANTED] = READ_ONCE(t->granted),
        [CHANNEL_RUNNING] = with_host(t) || runs(peer_of(t, d)),
    };
    return answer[field];
}

/* Ring the domain at one end. Returns 0 or -EAGAIN: it does not run. Any context. */
static int ring_domain(const struct tunnel *t, unsigned id)
{
    struct domain *d = &domains[id];
    if (!runs(id) || !d->ops->doorbell)
        return -EAGAIN;
    d->ops->doorbell(d, number(t));
    return 0;
}

static int ring(const struct domain *d, unsigned n)
{
    const struct tunnel *t = &tunnels[n];
    if (!READ_ONCE(t->granted))
        return -EACCES;
    if (!with_host(t))
        return ring_domain(t, peer_of(t, d));
    split_ring(t->entry);
    return 0;
}

static int tunnel_notify(const struct domain *d, unsigned index)
{
    const struct tunnel *t = tunnel_of(d, index);
    return t ? ring(d, number(t)) : -ENOENT;
}

/* A peer that has no way to be told gets a ring, which says "look". */
static void ended(const struct domain *d)
{
    for (struct tunnel *t = tunnels; t->conf; t++) {
        if (!ends_at(t, d))
            continue;
        struct domain *peer = with_host(t) ? NULL : &domains[peer_of(t, d)];
        if (peer && runs(peer->id) && peer->ops->peer_ended)
            peer->ops->peer_ended(peer, number(t));
        else
            ring(d, number(t));
    }
}

static bool rung_by_host(void *arg)
{
    const struct tunnel *t = arg;
    if (READ_ONCE(t->granted))
        ring_domain(t, t->conf->domain_a);
    return false;
}

static int set(const char *name, bool granted)
{
    struct tunnel *t = tunnels;
    while (t->conf && strncmp(t->conf->name, name, SYS_NAME) != 0)
        t++;
    if (!t->conf)
        return -ENOENT;
    if (!t->memory || t->granted == granted)
        return 0;
    share(t, t->conf->domain_a, granted);
    if (!with_host(t))
        share(t, t->conf->domain_b, granted);
    WRITE_ONCE(t->granted, granted); /* last: who is told that it is granted may touch it at once */
    return 0;
}

static __init_text void renew(void)
{
    for (struct tunnel *t = tunnels; t->conf; t++)
        if (t->size) /* memory shared with the host is not freed */
            frames_clean(t->memory, t->size >> PAGE_SHIFT);
    memset(tunnels, 0, sizeof(tunnels));
    unsigned n = system_table ? system_table->n_channels : 0;
    while (n--)
        tunnels[n].conf = sys_channel(system_table, n);
}

static __init_text void tunnel_init(void)
{
    static const struct channel_ops ops = { renew, attach, info, tunnel_notify, ring, ended, set };
    channel_ops = &ops;
}
INIT_CALL(tunnel_init);
