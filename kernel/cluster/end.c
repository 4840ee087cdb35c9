/* SPDX-License-Identifier: MIT */
/* end.c - see end.h. */
#include "end.h"

#include <core/domain.h>
#include <core/init.h>
#include <errors.h>
#include <string.h>

static const struct comm_table *tables[2];

__init_text void comm_add(const struct comm_table *t) { tables[tables[0] != NULL] = t; }

static u32 name_of(u16 owner) { return ((u32)owner << LIFE_BITS | domains[owner].life) * LANE_STEP; }

bool comm_name_sender(struct comm_end *e, unsigned node, unsigned own)
{
    if (e->of && e->node == node && e->own == own)
        return false;
    e->node = (u8)node;
    e->own = (u8)own;
    e->of = peer_owner(node, own);
    return e->of;
}

static s64 make(const struct comm_table *t, u16 owner, struct comm_end made)
{
    unsigned has = 0;
    for (unsigned i = 0; i < t->n; i++)
        has += comm_at(t, i)->state != COMM_FREE && comm_at(t, i)->owner == owner;
    if (!comm_in_share(has, t->n))
        return -EAGAIN;
    for (unsigned i = 0; i < t->n; i++) {
        struct comm_end *e = comm_at(t, i);
        if (e->state != COMM_FREE)
            continue;
        memset(e, 0, t->size);
        *e = made;
        e->owner = owner;
        return i;
    }
    return -EAGAIN;
}

s64 comm_create(const struct comm_table *t, const struct comm *c)
{
    if (c->node != noc_self() || c->port >= COMM_PORTS)
        return -EINVAL;
    unsigned has = 0;
    for (unsigned i = 0; i < t->n; i++) {
        const struct comm_end *e = comm_at(t, i);
        if (e->state != COMM_INPUT)
            continue;
        if (e->port == c->port)
            return -EBUSY;
        has += e->owner == c->owner;
    }
    if (!comm_in_share(has, COMM_PORTS))
        return -EAGAIN;
    return make(t, c->owner, (struct comm_end){ .state = COMM_INPUT, .port = (u8)c->port });
}

/* Returns (bits) the ports to a cluster that a new output of `t` cannot have. */
static __cold u32 used_ports(const struct comm_table *t, const struct comm *c)
{
    u32 used = 0;
    for (unsigned k = 0; k < ARRAY_SIZE(tables); k++)
        for (unsigned i = 0; i < tables[k]->n; i++) {
            const struct comm_end *e = comm_at(tables[k], i);
            if (e->state == COMM_OUTPUT && e->node == c->node && (tables[k] == t || e->owner != c->owner))
                used |= 1u << e->own;
        }
    return used;
}

s64 comm_open(const struct comm_table *t, const struct comm *c)
{
    if (c->node >= noc_clusters() || c->port >= COMM_PORTS)
        return -EINVAL;
    u32 used = used_ports(t, c);
    unsigned own = 0, has = 0;
    for (unsigned i = 0; i < t->n; i++) {
        const struct comm_end *e = comm_at(t, i);
        has += e->state == COMM_OUTPUT && e->node == c->node && e->owner == c->owner;
    }
    while (used >> own & 1)
        own++;
    if (own >= COMM_PORTS || !comm_in_share(has, COMM_PORTS))
        return -EAGAIN;
    struct comm_end made = { .state = COMM_OUTPUT, .node = (u8)c->node, .port = (u8)c->port, .own = (u8)own };
    made.of = name_of(c->owner);
    s64 id = make(t, c->owner, made);
    if (id >= 0)
        peer_set_owner(c->node, own, made.of);
    return id;
}

/* Its next life may have the same numbers for its processes. */
static void lose(struct comm_end *e, unsigned node)
{
    peer_watch_mark(&e->watch, node);
    if (e->state == COMM_INPUT && e->node == node)
        e->of = 0;
}

__noinline void comm_lose(const struct comm_table *t, unsigned node)
{
    for (unsigned i = 0; i < t->n; i++)
        lose(comm_at(t, i), node);
}

s64 comm_port(const struct comm_table *t, const struct comm *c)
{
    const struct comm_end *e = comm_find(t, c);
    return !e ? -EBADF : e->state == COMM_INPUT ? e->port : e->own;
}

s64 comm_check_close(const struct comm_table *t, const struct comm *c)
{
    const struct comm_end *e = comm_find(t, c);
    if (c->id >= t->n)
        return -EINVAL;
    return e && e->state == (c->type ? COMM_OUTPUT : COMM_INPUT) ? 0 : -EBADF;
}
