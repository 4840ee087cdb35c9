/* SPDX-License-Identifier: MIT */
/*
 * tunnel.c - Proteus' inter-partition communication: memory that two domains share
 * because the system file says so, and a doorbell each way.
 *
 * What goes through the memory is the domains' own affair; the kernel maps it once,
 * writable to whom the table lets write, and never looks inside.  Rings coalesce:
 * the peer's interrupt says "look", not how often.  Withdrawing unmaps the memory on
 * both sides and silences the bell; granting maps the same memory again.
 */
#include <core/channel.h>
#include <core/domain.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

#define TUNNELS       8
#define TUNNEL_GPA    0xe0000000ul
#define TUNNEL_STRIDE MIB
#define TUNNEL_GSI    24u

static struct tunnel {
    const struct sys_channel *conf;
    paddr_t memory; /* 0: not there yet */
    u32 size;       /* of memory; the table may be gone */
    bool granted;
} tunnels[TUNNELS];
static unsigned n_tunnels;

static bool ends_at(const struct tunnel *t, const struct domain *d)
{
    return t->conf->domain_a == d->id || t->conf->domain_b == d->id;
}

static bool writes(const struct tunnel *t, const struct domain *d)
{
    return t->conf->flags & (t->conf->domain_a == d->id ? SYS_CHANNEL_A_WRITES : SYS_CHANNEL_B_WRITES);
}

static struct domain *peer_of(const struct tunnel *t, const struct domain *d)
{
    return &domains[t->conf->domain_a == d->id ? t->conf->domain_b : t->conf->domain_a];
}

static int share(struct tunnel *t, struct domain *d, bool on)
{
    gpa_t gpa = TUNNEL_GPA + (t - tunnels) * TUNNEL_STRIDE;
    if (!d->ops || !d->ops->share || d->state == DOMAIN_EMPTY)
        return -ENODEV;
    return d->ops->share(d, gpa, on ? t->memory : 0, t->conf->size, writes(t, d) ? S2_WRITE : 0);
}

static __init_text bool allocate(struct tunnel *t)
{
    if (t->memory)
        return true;
    paddr_t pa = frames_alloc(t->conf->size >> PAGE_SHIFT, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return false;
    memset(phys_to_virt(pa), 0, t->conf->size);
    t->memory = pa;
    t->size = t->conf->size;
    t->granted = true;
    return true;
}

static __init_text void attach(struct domain *d)
{
    for (unsigned i = 0; i < n_tunnels; i++) {
        struct tunnel *t = &tunnels[i];
        if (ends_at(t, d) && (!allocate(t) || share(t, d, true)))
            printk("tunnel %s: cannot be given to %s\n", t->conf->name, d->conf->name);
    }
}

/* The domain's own `index`-th tunnel. */
static struct tunnel *find(const struct domain *d, unsigned index)
{
    for (unsigned i = 0; i < n_tunnels; i++)
        if (ends_at(&tunnels[i], d) && index-- == 0)
            return &tunnels[i];
    return NULL;
}

static int info(const struct domain *d, unsigned index, struct channel_info *e)
{
    const struct tunnel *t = find(d, index);
    if (!t)
        return -ENOENT;
    struct domain *peer = peer_of(t, d);
    *e = (struct channel_info){
        .gpa = TUNNEL_GPA + (t - tunnels) * TUNNEL_STRIDE,
        .size = t->conf->size,
        .gsi = TUNNEL_GSI + (t - tunnels),
        .writes = writes(t, d),
        .peer_writes = writes(t, peer),
        .granted = READ_ONCE(t->granted),
        .peer = peer,
    };
    return 0;
}

static int notify(const struct domain *d, unsigned index)
{
    const struct tunnel *t = find(d, index);
    if (!t)
        return -ENOENT;
    struct domain *peer = peer_of(t, d);
    if (!READ_ONCE(t->granted))
        return -EACCES;
    if (READ_ONCE(peer->state) != DOMAIN_RUNNING || !peer->ops->doorbell)
        return -EAGAIN;
    peer->ops->doorbell(peer, TUNNEL_GSI + (t - tunnels));
    return 0;
}

static int set(const char *name, bool granted)
{
    for (unsigned i = 0; i < n_tunnels; i++) {
        struct tunnel *t = &tunnels[i];
        if (strncmp(t->conf->name, name, SYS_NAME) != 0)
            continue;
        if (!t->memory || t->granted == granted)
            return 0;
        WRITE_ONCE(t->granted, granted);
        share(t, &domains[t->conf->domain_a], granted);
        share(t, &domains[t->conf->domain_b], granted);
        return 0;
    }
    return -ENOENT;
}

static __init_text void renew(void)
{
    for (unsigned i = 0; i < n_tunnels; i++) {
        struct tunnel *t = &tunnels[i];
        if (t->memory)
            frames_clean(t->memory, t->size >> PAGE_SHIFT);
        *t = (struct tunnel){ 0 };
    }
    unsigned n = system_table ? system_table->n_channels : 0;
    for (n_tunnels = 0; n_tunnels < n && n_tunnels < TUNNELS; n_tunnels++)
        tunnels[n_tunnels].conf = sys_channel(system_table, n_tunnels);
}

static __init_text void tunnel_init(void)
{
    static const struct channel_ops ops = { renew, attach, info, notify, set };
    channel_ops = &ops;
    renew();
}
INIT_CALL(tunnel_init);
