/* SPDX-License-Identifier: MIT */
/* portal_wire.c - the buffers of this cluster's outbox, and the messages of portals; see portal.h. */
#include <core/domain.h>
#include <core/init.h>

#include "portal.h"

#define NOTICE 4u /* bytes of a message that tell of one buffer: its number, and from bit 8 the length of its data */
_Static_assert(NOTICE *PORTAL_BUFFERS <= LANE_DATA, "one message may tell of all");

/* The buffers of this cluster's outbox, as bits: those that are used; those of them that were sent to each cluster. */
static u16 used, sent[NOC_CLUSTERS];
static u16 owners[PORTAL_BUFFERS]; /* the domain whose data it has */

bool portal_give_buffer(struct portal *p)
{
    struct dma_page page;
    unsigned n = portal_give_buffers(p, &page, 1);
    if (n)
        p->buffer = page.buffer;
    return n;
}

/* Returns whether `p` may have one more buffer: its process has a share of them. */
static __noinline bool may_have(const struct portal *p)
{
    unsigned has = 0;
    for (unsigned i = 0; i < portal_buffers(); i++)
        has += used >> i & 1 && owners[i] == p->end.owner;
    return has < MAX(portal_buffers() / n_domains, 1u);
}

unsigned portal_give_buffers(struct portal *p, struct dma_page *page, unsigned most)
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

void portal_return_buffer(unsigned buffer) { used &= (u16) ~(1u << buffer); }

int portal_notify(const struct portal *p, const struct dma_page *page, unsigned n)
{
    u32 notice[DMA_PAGES + 1] __aligned(8);
    const struct lane_message m = { .kind = MESSAGE_DATA,
                                    .to = p->end.port,
                                    .from = p->end.own,
                                    .size = (u8)(NOTICE * n),
                                    .of = p->end.of,
                                    .data = (const u8 *)notice };
    u32 all = 0;
    for (size_t i = 0; i < n; i++) {
        notice[i] = page[i].buffer | (u32)page[i].size << 8;
        all |= 1u << page[i].buffer;
    }
    notice[n] = 0;                 /* it may be sent, too */
    sent[p->end.node] |= (u16)all; /* set before, because a transfer in one cluster may end inside peer_send() */
    int err = peer_send(p->end.node, &m);
    if (err)
        sent[p->end.node] &= (u16)~all;
    return err;
}

/* Those that the cluster does not have are a lie, and ignored. */
static void take_done(unsigned from, u16 done)
{
    done &= sent[from];
    sent[from] &= (u16)~done;
    used &= (u16)~done;
}

/* A message of another size is a lie, and ignored. */
static bool deliver(unsigned from, const struct lane_message *m)
{
    union {
        u32 notice[PORTAL_BUFFERS];
        u16 done;
    } data __aligned(8);
    size_t size = m->size;
    if (size > sizeof(data))
        return true;
    lane_copy(&data, m->data, size);
    if (size > NOTICE && !lane_is_whole(m)) /* one word is whole, or 0 */
        return true;
    if (m->kind == MESSAGE_DATA)
        portal_note(from, m, data.notice, size / NOTICE);
    else if (size == sizeof(data.done))
        take_done(from, data.done);
    return true;
}

/* A cluster is lost: free the buffers that were sent to it, and drop its notices. */
static __cold void lose(unsigned node)
{
    comm_lose(&portal_table, node);
    take_done(node, sent[node]);
    portal_forget(node);
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_INPUT && p->allowed && p->end.node == node)
            p->transfer = PORTAL_LOST;
    }
}

static __init_text void portal_init(void)
{
    static const struct peer_part all = { .deliver = deliver, .lost = lose, .flush = portal_flush },
                                  more = { .deliver = deliver };
    peer_listen(MESSAGE_DATA, &all);
    peer_listen(MESSAGE_DONE, &more);
    comm_add(&portal_table);
}
INIT_CALL(portal_init);
