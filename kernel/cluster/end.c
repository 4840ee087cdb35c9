/* SPDX-License-Identifier: MIT */
/* end.c - see end.h. */
#include "end.h"

#include <errors.h>
#include <string.h>

static s64 make(const struct comm_table *t, u16 owner, struct comm_end made)
{
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
    for (unsigned i = 0; i < t->n; i++)
        if (comm_at(t, i)->state == COMM_INPUT && comm_at(t, i)->port == c->port)
            return -EBUSY;
    return make(t, c->owner, (struct comm_end){ .state = COMM_INPUT, .port = (u8)c->port });
}

s64 comm_open(const struct comm_table *t, const struct comm *c)
{
    if (c->node >= noc_clusters() || c->port >= COMM_PORTS)
        return -EINVAL;
    u32 used = 0;
    for (unsigned i = 0; i < t->n; i++)
        if (comm_at(t, i)->state == COMM_OUTPUT && comm_at(t, i)->node == c->node)
            used |= 1u << comm_at(t, i)->own;
    unsigned own = 0;
    while (used >> own & 1)
        own++;
    if (own >= COMM_PORTS)
        return -EAGAIN;
    struct comm_end made = { .state = COMM_OUTPUT, .node = (u8)c->node, .port = (u8)c->port, .own = (u8)own };
    return make(t, c->owner, made);
}

void comm_lose(const struct comm_table *t, unsigned node)
{
    for (unsigned i = 0; i < t->n; i++)
        peer_watch_mark(&comm_at(t, i)->watch, node);
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
