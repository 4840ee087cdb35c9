/* SPDX-License-Identifier: MIT */
/* portal_wire.c - the buffers of this cluster's outbox, and what goes to other clusters; see portal.h. */
#include <core/domain.h>
#include <core/init.h>
#include <errors.h>

#include "portal.h"

/* The buffers of this cluster's outbox, as bits: those that are used; those of them that were sent to each cluster;
 * those of these that were asked back. */
static u16 used, sent[NOC_CLUSTERS], asked;
static u16 former;                 /* those of processes that have ended */
static u16 owners[PORTAL_BUFFERS]; /* the domain whose data it has */

bool portal_give_buffer(struct portal *p, u32 *peers)
{
    struct dma_page page;
    unsigned n = portal_give_buffers(p, &page, 1, peers);
    if (n)
        p->buffer = page.buffer;
    return n;
}

/* Returns whether `p` may have one more buffer: its process has a share of them. */
static __cold __noinline bool may_have(const struct portal *p)
{
    unsigned has = 0;
    for (unsigned i = 0; i < portal_buffers(); i++)
        has += used >> i & 1 && owners[i] == p->end.owner;
    return comm_in_share(has, portal_buffers());
}

/* Ask each cluster for one of the buffers that former lives of p's process have sent it, unless it was asked for one.
 * Returns those that were asked. */
static __cold __noinline u32 ask_back(const struct portal *p)
{
    u32 own = 0, peers = 0;
    for (unsigned i = 0; i < portal_buffers(); i++)
        if (former >> i & 1 && owners[i] == p->end.owner)
            own |= 1u << i;
    for (unsigned n = 0; n < noc_clusters(); n++) {
        u32 there = own & sent[n];
        if (!there)
            continue;
        peers |= 1u << n;
        if (there & asked)
            continue;
        asked |= (u16)(there & -there);
        peer_want_back(n, there & -there);
    }
    return peers;
}

static inline unsigned give(const struct portal *p, struct dma_page *page, unsigned most)
{
    struct dma_page *at = page, *end = page + most;
    u32 free = ~used & ((1u << portal_buffers()) - 1), bit = 1;
    const u16 owner = p->end.owner;
    for (size_t i = 0; at != end && bit <= free && (n_domains < 2 || may_have(p)); i++, bit <<= 1) {
        if (!(free & bit))
            continue;
        used |= (u16)bit;
        owners[i] = owner;
        *at++ = (struct dma_page){ .size = COMM_PAGE, .buffer = (u8)i };
    }
    return (unsigned)(at - page);
}

unsigned portal_give_buffers(const struct portal *p, struct dma_page *page, unsigned most, u32 *peers)
{
    unsigned n = give(p, page, most);
    if (n || likely(!former))
        return n;
    *peers |= ask_back(p);
    return give(p, page, most); /* this cluster has given one back at once */
}

bool portal_is_unread(const struct portal *p)
{
    for (unsigned i = 0; i < portal_buffers(); i++)
        if (sent[p->end.node] >> i & 1 && owners[i] == p->end.owner)
            return true;
    return false;
}

__cold void portal_leave_buffers(u16 owner)
{
    for (unsigned i = 0; i < portal_buffers(); i++)
        if (used >> i & 1 && owners[i] == owner)
            former |= (u16)(1u << i);
}

void portal_return_buffer(unsigned buffer) { used &= (u16) ~(1u << buffer); }

int portal_notify(const struct portal *p, const struct dma_page *page, unsigned n)
{
    u32 told = peer_notify(p->end.node, portal_ports(p->end.port, p->end.own), p->end.of, page, n);
    sent[p->end.node] |= (u16)told;
    return told ? 0 : -EAGAIN;
}

/* Those that the cluster does not have are a lie, and ignored. */
static void take_back(unsigned from, u32 buffers)
{
    u16 back = (u16)buffers & sent[from];
    sent[from] &= (u16)~back;
    used &= (u16)~back;
    asked &= (u16)~back;
    former &= (u16)~back;
}

/* A cluster is lost: free the buffers that were sent to it, and drop its notices. */
static __cold void lose(unsigned node)
{
    comm_lose(&portal_table, node);
    take_back(node, sent[node]);
    portal_forget(node);
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_INPUT && p->allowed && p->end.node == node)
            p->transfer = PORTAL_LOST;
    }
}

static __init_text void portal_init(void)
{
    static const struct peer_part part = {
        .lost = lose, .note = portal_note, .given_back = take_back, .want_back = portal_want_back
    };
    peer_listen(MESSAGE_PAGES, &part);
    comm_add(&portal_table);
}
INIT_CALL(portal_init);
