/* SPDX-License-Identifier: MIT */
/* portal_wire.c - the buffers of the outbox, and the messages of portals; see portal.h. */
#include <core/domain.h>
#include <core/init.h>

#include "portal.h"

struct portal portals[COMM_PORTALS];

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

bool portal_give_buffer(struct portal *p)
{
    unsigned first = 0, left = 0;
    for (unsigned i = portal_buffers(); i--;)
        if (!(used >> i & 1)) {
            first = i;
            left++;
        }
    if (!left || (left < n_domains && left <= kept_from(p->end.owner)))
        return false;
    used |= (u16)(1u << first);
    buffers[first].owner = p->end.owner;
    p->buffer = (u8)first;
    return true;
}

static void give_back(unsigned buffer)
{
    used &= (u16) ~(1u << buffer);
    sent &= (u16) ~(1u << buffer);
}

void portal_return_buffer(const struct portal *p) { give_back(p->buffer); }

int portal_notify(const struct portal *p, unsigned size)
{
    const u8 notice[8] __aligned(8) = { p->buffer, (u8)size, (u8)(size >> 8) };
    const struct lane_message m = {
        .kind = MESSAGE_DATA, .to = p->end.port, .from = p->end.own, .size = 3, .data = notice
    };
    sent |= (u16)(1u << p->buffer); /* set before, because a transfer in one cluster may end inside peer_send() */
    buffers[p->buffer].node = p->end.node;
    int err = peer_send(p->end.node, &m);
    if (err)
        sent &= (u16) ~(1u << p->buffer);
    return err;
}

static __noinline void pay(unsigned node)
{
    for (unsigned i = 0; i < PORTAL_BUFFERS && owed[node]; i++) {
        const u8 done[8] __aligned(8) = { (u8)i };
        const struct lane_message m = { .kind = MESSAGE_DONE, .size = 1, .data = done };
        if (!(owed[node] >> i & 1))
            continue;
        if (peer_send(node, &m))
            return;
        owed[node] &= (u16) ~(1u << i);
    }
}

static void flush(unsigned node)
{
    if (owed[node])
        pay(node);
}

void portal_done(unsigned node, unsigned buffer)
{
    notices[node][buffer].order = 0;
    owed[node] |= (u16)(1u << buffer);
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

/* Note the data of a message. A notice for a buffer that has one already is a lie, and ignored. */
static void take_data(unsigned from, const struct lane_message *m, const u8 *data)
{
    unsigned buffer = data[0], length = data[1] | (unsigned)data[2] << 8;
    if (m->size != 3 || buffer >= portal_buffers() || !length || length > COMM_PAGE || notices[from][buffer].order)
        return;
    u32 order = ++latest ?: ++latest;
    notices[from][buffer] = (struct notice){ .order = order, .to = m->to, .own = m->from, .length = (u16)length };
}

static bool deliver(unsigned from, const struct lane_message *m)
{
    u8 data[8] __aligned(8);
    lane_copy(data, m->data, 3);
    if (m->kind == MESSAGE_DATA)
        take_data(from, m, data);
    else if (m->size == 1 && data[0] < PORTAL_BUFFERS && sent >> data[0] & 1 && buffers[data[0]].node == from)
        give_back(data[0]);
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
