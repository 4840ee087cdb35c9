/* SPDX-License-Identifier: MIT */
/* portal_wire.c - buffers of the outbox, and what portals tell each other; see portal.h. */
#include <core/init.h>

#include "portal.h"

#define BUFFERS 16u

struct portal portals[COMM_PORTALS];

static u8 granted[NOC_CLUSTERS][COMM_PORTS]; /* by reader and our port: 1 + the port that it reads from */
static u16 used;                             /* buffers of our outbox */
static struct {
    u16 done, failed; /* buffers of that cluster's outbox: to be told, because its lane was full */
} owed[NOC_CLUSTERS];

static size_t buffers_at(void) { return ALIGN_UP(noc_clusters() * sizeof(struct lane_half), (size_t)COMM_PAGE); }
size_t portal_buffer_at(unsigned i) { return buffers_at() + i * (size_t)COMM_PAGE; }

unsigned portal_buffers(void)
{
    size_t size = noc_outbox_size(), at = buffers_at();
    return at < size ? MIN((unsigned)((size - at) / COMM_PAGE), BUFFERS) : 0;
}

bool portal_is_granted(const struct portal *p) { return granted[p->end.node][p->end.own] == p->end.port + 1u; }
void portal_grant(const struct portal *p, bool yes)
{
    granted[p->end.node][p->end.own] = yes ? (u8)(p->end.port + 1) : 0;
}

bool portal_give_buffer(struct portal *p)
{
    unsigned i = 0;
    while (used >> i & 1)
        i++;
    if (i >= portal_buffers())
        return false;
    used |= (u16)(1u << i);
    p->buffer = (u8)i;
    p->transfer = PORTAL_FILLING;
    return true;
}

static void flush(unsigned node)
{
    for (unsigned i = 0; i < BUFFERS && (owed[node].done | owed[node].failed); i++) {
        u16 bit = (u16)(1u << i);
        if (!((owed[node].done | owed[node].failed) & bit))
            continue;
        struct lane_message m = { .kind = MESSAGE_DONE, .size = 2, .data = { i, !(owed[node].done & bit) } };
        if (peer_send(node, &m))
            return;
        owed[node].done &= (u16)~bit;
        owed[node].failed &= (u16)~bit;
    }
}

void portal_tell(unsigned node, unsigned buffer, bool done)
{
    *(done ? &owed[node].done : &owed[node].failed) |= (u16)(1u << buffer);
    flush(node);
}

void portal_end_output(struct portal *p, enum portal_transfer how)
{
    used &= (u16) ~(1u << p->buffer);
    p->transfer = how;
    if (p->end.owner == PORTAL_NOBODY)
        p->end.state = COMM_FREE;
}

static void take_done(unsigned from, unsigned buffer, bool failed)
{
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_OUTPUT && p->transfer == PORTAL_SENT && p->end.node == from && p->buffer == buffer)
            portal_end_output(p, failed ? PORTAL_FAILED : PORTAL_DONE);
    }
}

static void take_data(unsigned from, const struct lane_message *m)
{
    unsigned buffer = m->data[0], length = m->data[1] | (unsigned)m->data[2] << 8;
    if (m->size != 3 || buffer >= portal_buffers() || !length || length > COMM_PAGE)
        return;
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_INPUT && p->allowed && p->transfer == PORTAL_IDLE && p->end.node == from &&
            p->end.port == m->to && p->end.own == m->from) {
            p->transfer = PORTAL_HERE;
            p->buffer = (u8)buffer;
            p->length = (u16)length;
            return;
        }
    }
    portal_tell(from, buffer, false); /* nobody has asked for it */
}

static bool deliver(unsigned from, const struct lane_message *m)
{
    if (m->kind == MESSAGE_ALLOW)
        granted[from][m->to] = (u8)(m->from + 1);
    else if (m->kind == MESSAGE_DATA)
        take_data(from, m);
    else if (m->kind == MESSAGE_DONE && m->size == 2)
        take_done(from, m->data[0], m->data[1]);
    return true;
}

static void lose(unsigned node)
{
    owed[node].done = owed[node].failed = 0;
    for (unsigned i = 0; i < COMM_PORTS; i++)
        granted[node][i] = 0;
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_OUTPUT && p->end.node == node && p->transfer == PORTAL_SENT)
            portal_end_output(p, PORTAL_FAILED);
        if (p->end.state == COMM_INPUT && p->end.node == node && p->allowed && p->transfer != PORTAL_TAKING)
            p->transfer = PORTAL_FAILED;
    }
}

static __init_text void portal_init(void)
{
    static const struct peer_part all = { .deliver = deliver, .lost = lose, .flush = flush },
                                  more = { .deliver = deliver };
    peer_listen(MESSAGE_ALLOW, &all);
    peer_listen(MESSAGE_DATA, &more);
    peer_listen(MESSAGE_DONE, &more);
}
INIT_CALL(portal_init);
