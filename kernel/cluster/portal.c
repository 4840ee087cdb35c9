/* SPDX-License-Identifier: MIT */
/* portal.c - transfers of up to a page from one program to another, which the master does not copy; see portal.h. */
#include "portal.h"

#include <errors.h>

s64 portal_create(struct request *r) { return comm_create(&portal_table, comm_of(r)); }
s64 portal_port(struct request *r) { return comm_port(&portal_table, comm_of(r)); }

/* Fails if the outbox has no room for data, after the checks of the range of the arguments. */
s64 portal_open(struct request *r)
{
    const struct comm *c = comm_of(r);
    bool valid = c->node < noc_clusters() && c->port < COMM_PORTS;
    return valid && !portal_buffers() ? -EAGAIN : comm_open(&portal_table, c);
}

s64 portal_close(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    s64 err = comm_check_close(&portal_table, c);
    if (err)
        return err;
    bool input = p->end.state == COMM_INPUT;
    if (p->size || p->transfer == PORTAL_FILLING || p->transfer == PORTAL_SENT ||
        (input && portal_is_late(p->end.port)))
        return -EBUSY;
    p->end.state = COMM_FREE;
    return 0;
}

/* The writer's side */

s64 portal_begin(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    if (!p || p->end.state != COMM_OUTPUT)
        return -EBADF;
    if (p->transfer != PORTAL_IDLE)
        return -EBUSY;
    u32 peers = 1u << p->end.node;
    if (peer_watch_lost(&p->end.watch, p->end.node))
        return -EIO;
    if (!portal_give_buffer(p, &peers)) {
        r->peers = peers;
        return REQUEST_PENDING;
    }
    p->transfer = PORTAL_FILLING;
    c->room = (char *)noc_outbox() + portal_buffer_at(p->buffer);
    return 0;
}

/* The data are in the buffer: a signal does not end this. */
static bool drop_full(struct request *r, bool ends) { return ends; }

s64 portal_send(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    if (!p || p->transfer != PORTAL_FILLING || p->longer)
        return -EBADF;
    const struct dma_page data = { .size = c->size, .buffer = p->buffer };
    r->drop = drop_full;
    bool lost = peer_watch_lost(&p->end.watch, p->end.node); /* the next life of the reader did not get the buffer */
    s64 err = lost ? -EIO : c->size && portal_notify(p, &data, 1) ? request_pending(r, p->end.node) : 0;
    if (err == REQUEST_PENDING)
        return err;
    if (err || !c->size)
        portal_return_buffer(p->buffer);
    p->transfer = err || !c->size ? PORTAL_IDLE : PORTAL_SENT;
    return err;
}

/* As portal_begin(), but what would wait ends, also while the reader's cluster has not read what this process has sent
 * it. */
s64 portal_try_begin(struct request *r)
{
    struct comm *c = comm_of(r);
    const struct portal *p = comm_find(&portal_table, c);
    if (p && p->end.state == COMM_OUTPUT && portal_is_unread(p))
        return -EAGAIN;
    s64 err = portal_begin(r);
    return err == REQUEST_PENDING ? -EAGAIN : err;
}

/* As portal_send(); no wait follows. */
s64 portal_send_whole(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    s64 err = portal_send(r);
    if (!err && p->transfer == PORTAL_SENT)
        p->transfer = PORTAL_IDLE;
    return err;
}

static s64 wait_output(struct comm *c, struct portal *p)
{
    if (p->transfer != PORTAL_SENT)
        return -EBADF;
    p->transfer = PORTAL_IDLE;
    c->size = 0;
    return peer_watch_lost(&p->end.watch, p->end.node) ? -EIO : 0;
}

/* The reader's side */

s64 portal_allow(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    if (c->id >= COMM_PORTALS || c->node >= noc_clusters() || c->port >= COMM_PORTS)
        return -EINVAL;
    if (!p || p->end.state != COMM_INPUT)
        return -EBADF;
    if (p->allowed)
        return -EBUSY;
    if (peer_watch_lost(&p->end.watch, c->node))
        return -EIO;
    p->allowed = true;
    p->transfer = PORTAL_IDLE;
    if (comm_name_sender(&p->end, c->node, c->port))
        portal_drop_former(p);
    return 0;
}

s64 portal_aread(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    if (!p || p->end.state != COMM_INPUT)
        return -EBADF;
    if (!p->allowed)
        return -EACCES;
    if (p->size)
        return -EBUSY;
    p->size = c->size;
    p->user = c->user;
    return 0;
}

s64 portal_end_read(struct portal *p, s64 result)
{
    p->transfer = PORTAL_IDLE;
    p->allowed = false;
    p->size = 0;
    p->longer = NULL;
    return result;
}

s64 portal_end_lost(struct portal *p)
{
    peer_watch_lost(&p->end.watch, p->end.node); /* so that the loss is not reported again */
    p->end.of = 0;
    return portal_end_read(p, -EIO);
}

static s64 wait_input(struct comm *c, struct portal *p)
{
    if (!p->size)
        return -EBADF;
    c->request.peers = 1u << p->end.node;
    if (p->longer)
        return -EBUSY;
    if (p->transfer == PORTAL_LOST)
        return portal_end_lost(p);
    if (p->transfer == PORTAL_TAKING)
        return -EBUSY;
    u16 length;
    unsigned buffer = portal_waiting(p, &length);
    if (buffer == PORTAL_NO_BUFFER)
        return comm_has_left(&p->end) ? portal_end_lost(p) : REQUEST_PENDING;
    portal_pass(p->end.node, buffer);
    p->transfer = PORTAL_TAKING;
    p->buffer = (u8)buffer;
    c->room = (char *)noc_outbox_of(p->end.node) + portal_buffer_at(buffer);
    c->size = MIN(p->size, length);
    c->user = p->user;
    c->node = p->end.node;
    return 0;
}

s64 portal_wait(struct request *r)
{
    struct comm *c = comm_of(r);
    struct portal *p = comm_find(&portal_table, c);
    return !p ? -EBADF : p->end.state == COMM_OUTPUT ? wait_output(c, p) : wait_input(c, p);
}

s64 portal_taken(struct request *r)
{
    struct portal *p = comm_find(&portal_table, comm_of(r));
    if (!p || p->longer || (p->transfer != PORTAL_TAKING && p->transfer != PORTAL_LOST))
        return -EBADF;
    if (p->transfer == PORTAL_LOST || !peer_stays(p->end.node))
        return portal_end_lost(p);
    portal_done(p->end.node, p->buffer);
    return portal_end_read(p, 0);
}

/* Data that were sent stay in the outbox until their reader has taken them or is lost, or a later life wants room. */
void portal_close_all(u16 owner)
{
    for (unsigned i = 0; i < COMM_PORTALS; i++) {
        struct portal *p = &portals[i];
        if (p->end.state == COMM_FREE || p->end.owner != owner)
            continue;
        if (p->end.state == COMM_INPUT)
            portal_drop(p->end.port);
        else if (p->transfer == PORTAL_FILLING)
            portal_return_buffer(p->buffer);
        p->end.state = COMM_FREE;
    }
    portal_leave_buffers(owner);
}
