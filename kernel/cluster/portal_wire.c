/* SPDX-License-Identifier: MIT */
/* portal_wire.c - the buffers of the outbox, and the messages of portals; see portal.h. */
#include <core/domain.h>
#include <core/init.h>

#include "portal.h"

struct portal portals[COMM_PORTALS];

#define NOTICE 3u /* bytes of a message that tell of one buffer: its number, and the length of its data */
_Static_assert(NOTICE *PORTAL_BUFFERS % 8 == 0 && NOTICE * PORTAL_BUFFERS <= LANE_DATA, "one message may tell of all");

/* The buffers of this cluster's outbox. */
static u16 used, sent; /* bits: buffers that are used; those of them that were sent to a reader */
static struct {
    u16 owner; /* the domain whose data it has */
    u8 node;   /* of one that was sent: the reader's cluster */
} buffers[PORTAL_BUFFERS];

/* The data in other clusters' buffers for this one; and the buffers that still have to be freed, because a lane was
 * full. */
static struct notice {
    u32 order; /* 0: none; smaller is older */
    u8 to, own;
    bool late; /* later data of the same cluster have been read */
    u16 length;
} notices[NOC_CLUSTERS][PORTAL_BUFFERS];
static u32 latest;
static u16 owed[NOC_CLUSTERS];

static size_t buffers_at(void) { return ALIGN_UP(noc_clusters() * sizeof(struct lane_half), (size_t)COMM_PAGE); }
size_t portal_buffer_at(unsigned i) { return buffers_at() + i * (size_t)COMM_PAGE; }

unsigned portal_buffers(void)
{
    size_t size = noc_outbox_size(), at = buffers_at();
    return at < size ? MIN((unsigned)((size - at) / COMM_PAGE), PORTAL_BUFFERS) : 0;
}

/* Returns how many owners of outputs have no buffer, if `self` has one; otherwise 0. */
static unsigned kept_from(u16 self)
{
    u32 having = 0, writers = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < portal_buffers(); i++)
        if (used >> i & 1)
            having |= 1u << buffers[i].owner;
    for (unsigned i = 0; i < COMM_PORTALS && having >> self & 1; i++)
        if (portals[i].end.state == COMM_OUTPUT)
            writers |= 1u << portals[i].end.owner;
    for (u32 without = writers & ~having; without; without &= without - 1)
        n++;
    return n;
}

bool portal_give_buffer(struct portal *p) { return portal_give_buffers(p, &p->buffer, 1); }

unsigned portal_give_buffers(struct portal *p, u8 *buffer, unsigned most)
{
    unsigned n = 0, left = 0, all = portal_buffers();
    for (unsigned i = 0; i < all; i++)
        left += !(used >> i & 1);
    for (unsigned i = 0; n < most && left; i++) {
        if (used >> i & 1)
            continue;
        if (left < n_domains && left <= kept_from(p->end.owner))
            break;
        used |= (u16)(1u << i);
        buffers[i].owner = p->end.owner;
        buffer[n++] = (u8)i;
        left--;
    }
    return n;
}

static void give_back(unsigned buffer)
{
    used &= (u16) ~(1u << buffer);
    sent &= (u16) ~(1u << buffer);
}

void portal_return_buffer(unsigned buffer) { give_back(buffer); }

int portal_notify(const struct portal *p, const struct portal_data *data, unsigned n)
{
    u8 notice[ALIGN_UP(NOTICE * DMA_PAGES, 8u)] __aligned(8);
    const struct lane_message m = {
        .kind = MESSAGE_DATA, .to = p->end.port, .from = p->end.own, .size = (u8)(NOTICE * n), .data = notice
    };
    u16 all = 0;
    for (unsigned i = 0; i < n; i++) {
        notice[NOTICE * i] = data[i].buffer;
        notice[NOTICE * i + 1] = (u8)data[i].size;
        notice[NOTICE * i + 2] = (u8)(data[i].size >> 8);
        buffers[data[i].buffer].node = p->end.node;
        all |= (u16)(1u << data[i].buffer);
    }
    sent |= all; /* set before, because a transfer in one cluster may end inside peer_send() */
    int err = peer_send(p->end.node, &m);
    if (err)
        sent &= (u16)~all;
    return err;
}

static __noinline void pay(unsigned node)
{
    u8 done[PORTAL_BUFFERS] __aligned(8), n = 0;
    for (unsigned i = 0; i < PORTAL_BUFFERS; i++)
        if (owed[node] >> i & 1)
            done[n++] = (u8)i;
    const struct lane_message m = { .kind = MESSAGE_DONE, .size = n, .data = done };
    if (!peer_send(node, &m))
        owed[node] = 0;
}

static void flush(unsigned node)
{
    if (owed[node])
        pay(node);
}

void portal_done(unsigned node, unsigned buffer) { portal_done_all(node, (u16)(1u << buffer)); }

void portal_done_all(unsigned node, u16 done)
{
    for (unsigned i = 0; i < PORTAL_BUFFERS; i++)
        if (done >> i & 1)
            notices[node][i].order = 0;
    owed[node] |= done;
    flush(node);
}

unsigned portal_waiting(unsigned node, unsigned own, unsigned to, u16 *length)
{
    unsigned found = PORTAL_NO_BUFFER;
    for (unsigned i = 0; i < portal_buffers(); i++) {
        const struct notice *n = &notices[node][i];
        if (!n->order || n->own != own || n->to != to)
            continue;
        if (found == PORTAL_NO_BUFFER || (s32)(n->order - notices[node][found].order) < 0)
            found = i;
    }
    if (found != PORTAL_NO_BUFFER)
        *length = notices[node][found].length;
    return found;
}

/* By insertion: there are few. */
unsigned portal_all_waiting(const struct portal *p, struct portal_data *data, unsigned most)
{
    const struct notice *all = notices[p->end.node];
    unsigned n = 0;
    for (unsigned i = 0; i < portal_buffers(); i++) {
        if (!all[i].order || all[i].own != p->end.own || all[i].to != p->end.port)
            continue;
        unsigned at = n;
        for (; at && (s32)(all[data[at - 1].buffer].order - all[i].order) > 0; at--)
            if (at < most)
                data[at] = data[at - 1];
        if (at < most)
            data[at] = (struct portal_data){ .size = all[i].length, .buffer = (u8)i };
        n = MIN(n + 1, most);
    }
    return n;
}

bool portal_is_late(unsigned to)
{
    for (unsigned node = 0; node < noc_clusters(); node++)
        for (unsigned i = 0; i < portal_buffers(); i++)
            if (notices[node][i].order && notices[node][i].late && notices[node][i].to == to)
                return true;
    return false;
}

void portal_drop(unsigned to)
{
    for (unsigned node = 0; node < noc_clusters(); node++)
        for (unsigned i = 0; i < portal_buffers(); i++)
            if (notices[node][i].order && notices[node][i].to == to)
                portal_done(node, i);
}

static bool is_read(unsigned port)
{
    for (unsigned i = 0; i < COMM_PORTALS; i++)
        if (portals[i].end.state == COMM_INPUT && portals[i].end.port == port)
            return true;
    return false;
}

void portal_pass(unsigned node, unsigned buffer)
{
    u32 order = notices[node][buffer].order;
    for (unsigned i = 0; i < portal_buffers(); i++) {
        struct notice *n = &notices[node][i];
        if (!n->order || n->late || (s32)(n->order - order) >= 0)
            continue;
        n->late = true;
        if (!is_read(n->to))
            portal_done(node, i);
    }
}

/* Note the data in one buffer. A notice for a buffer that has one already is a lie, and ignored. */
static void take_data(unsigned from, const struct lane_message *m, const u8 *data)
{
    unsigned buffer = data[0], length = data[1] | (unsigned)data[2] << 8;
    if (buffer >= portal_buffers() || !length || length > COMM_PAGE || notices[from][buffer].order)
        return;
    u32 order = ++latest ?: ++latest;
    notices[from][buffer] = (struct notice){ .order = order, .to = m->to, .own = m->from, .length = (u16)length };
}

static void take_done(unsigned from, unsigned buffer)
{
    if (buffer < PORTAL_BUFFERS && sent >> buffer & 1 && buffers[buffer].node == from)
        give_back(buffer);
}

/* A message of another size is a lie, and ignored. */
static bool deliver(unsigned from, const struct lane_message *m)
{
    u8 data[NOTICE * PORTAL_BUFFERS] __aligned(8);
    if (m->size > sizeof(data))
        return true;
    lane_copy(data, m->data, m->size);
    for (unsigned i = 0; m->kind == MESSAGE_DATA && i + NOTICE <= m->size; i += NOTICE)
        take_data(from, m, data + i);
    for (unsigned i = 0; m->kind == MESSAGE_DONE && i < m->size; i++)
        take_done(from, data[i]);
    return true;
}

/* A cluster is lost: free the buffers that were sent to it, and drop its notices. */
static void lose(unsigned node)
{
    owed[node] = 0;
    for (unsigned i = 0; i < PORTAL_BUFFERS; i++) {
        notices[node][i].order = 0;
        if (sent >> i & 1 && buffers[i].node == node)
            give_back(i);
    }
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_INPUT && p->allowed && p->end.node == node)
            p->transfer = PORTAL_LOST;
    }
}

static __init_text void portal_init(void)
{
    static const struct peer_part all = { .deliver = deliver, .lost = lose, .flush = flush },
                                  more = { .deliver = deliver };
    peer_listen(MESSAGE_DATA, &all);
    peer_listen(MESSAGE_DONE, &more);
}
INIT_CALL(portal_init);
