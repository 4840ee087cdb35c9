/* SPDX-License-Identifier: MIT */
/*
 * portal_long.c - transfers of up to a MiB, which the DMA engine copies: see dma.h.
 *
 * A long transfer is one transfer for each page, as a program would make them one by one: the same buffers, notices and
 * permission, so that the other end need not know and may have no engine. It goes by jobs of some pages. While the
 * engine has a job the request is pending. Then one message tells the other end of all its pages, and the next job
 * begins; meanwhile the other end's engine empties the buffers.
 *
 * The request's record lies on its caller's stack, and the program's pages are pinned as long. So a request whose job
 * is with the engine stays until that is over, also if its caller has to stop or its peer is lost.
 */
#include <errors.h>
#include <hal/time.h>

#include "portal.h"

static struct comm_long *long_of(struct request *r) { return container_of(comm_of(r), struct comm_long, comm); }

/* Returns how many pages the next job has, at most: half of the buffers, so that the other half is in use meanwhile. */
static unsigned pages_of(const struct comm_long *l)
{
    unsigned half = (portal_buffers() + 1) / 2;
    return MIN(MIN(half, DMA_PAGES), (l->size - l->done + COMM_PAGE - 1) / COMM_PAGE);
}

/* Both ends may be in this cluster: the other one's request is pending, and may go on. */
static void progress(struct comm_long *l, unsigned node)
{
    l->comm.request.since = time_now();
    if (node == noc_self())
        request_again();
}

static void return_buffers(struct comm_long *l)
{
    for (unsigned i = 0; i < l->job.n; i++)
        portal_return_buffer(l->job.page[i].buffer);
    l->job.n = 0;
}

static s64 end_write(struct comm_long *l, s64 result)
{
    return_buffers(l);
    l->portal->transfer = PORTAL_IDLE;
    l->portal->longer = NULL;
    return result;
}

static s64 begin_write(struct comm_long *l, struct portal *p)
{
    if (!p || p->end.state != COMM_OUTPUT)
        return -EBADF;
    if (p->transfer != PORTAL_IDLE)
        return -EBUSY;
    p->transfer = PORTAL_FILLING;
    p->longer = l;
    l->portal = p;
    return 0;
}

/* The job's pages were moved. */
static void advance(struct comm_long *l)
{
    l->done += l->job.n * COMM_PAGE;
    l->job.at += l->job.n * (size_t)COMM_PAGE;
    l->job.n = 0;
    progress(l, l->portal->end.node);
}

/* The last page of the job, and no other, may be longer than what is left. */
static void cut(struct comm_long *l)
{
    struct dma_page *last = &l->job.page[l->job.n - 1];
    last->size = (u16)MIN((u32)last->size, l->size - l->done - (l->job.n - 1) * COMM_PAGE);
}

/* Tell the reader of the job's pages. */
static int send(struct comm_long *l)
{
    int err = portal_notify(l->portal, l->job.page, l->job.n);
    if (!err)
        advance(l);
    return err;
}

/* Fill buffers, if there are free ones. */
static void fill(struct comm_long *l)
{
    l->job.n = (u8)portal_give_buffers(l->portal, l->job.page, pages_of(l), &l->comm.request.peers);
    if (!l->job.n)
        return;
    cut(l);
    l->job.to_outbox = true;
    l->job.boxes = (char *)noc_outbox() + portal_buffer_at(0);
    if (!dma_start(&l->job))
        return_buffers(l);
}

s64 portal_write(struct request *r)
{
    struct comm_long *l = long_of(r);
    s64 err = l->portal ? 0 : begin_write(l, comm_find(&portal_table, &l->comm));
    if (err)
        return err;
    struct portal *p = l->portal;
    if (dma_is_busy(&l->job))
        return REQUEST_PENDING;
    if (peer_watch_lost(&p->end.watch, p->end.node))
        return end_write(l, -EIO);
    if (l->job.n && send(l)) {
        err = request_pending(r, p->end.node);
        return err == REQUEST_PENDING ? err : end_write(l, err);
    }
    if (l->done >= l->size)
        return end_write(l, 0);
    r->peers = 1u << p->end.node;
    fill(l);
    return REQUEST_PENDING;
}

static s64 begin_read(struct comm_long *l, struct portal *p)
{
    if (!p || p->end.state != COMM_INPUT)
        return -EBADF;
    if (!p->allowed)
        return -EACCES;
    if (p->size)
        return -EBUSY;
    p->size = 1;
    p->longer = l;
    l->portal = p;
    return 0;
}

/* The job's pages were read. */
static void give_back(struct comm_long *l)
{
    portal_done_all(l->portal->end.node, l->job.page, l->job.n);
    advance(l);
}

/* Empty the buffers that have data for us. Returns whether there are any. */
static bool empty(struct comm_long *l)
{
    bool others;
    u16 length;
    if (!l->portal->end.of)
        portal_waiting(l->portal, &length); /* the first ones say of which process the rest has to be */
    unsigned node = l->portal->end.node, n = portal_all_waiting(l->portal, l->job.page, pages_of(l), &others);
    l->job.n = (u8)n;
    if (!n)
        return false;
    cut(l);
    l->job.to_outbox = false;
    l->job.boxes = (char *)noc_outbox_of(node) + portal_buffer_at(0);
    if (!dma_start(&l->job))
        l->job.n = 0;
    else if (others)
        portal_pass(node, l->job.page[n - 1].buffer);
    return true;
}

s64 portal_read(struct request *r)
{
    struct comm_long *l = long_of(r);
    s64 err = l->portal ? 0 : begin_read(l, comm_find(&portal_table, &l->comm));
    if (err)
        return err;
    struct portal *p = l->portal;
    if (dma_is_busy(&l->job))
        return REQUEST_PENDING;
    if (p->transfer == PORTAL_LOST || (l->job.n && !peer_stays(p->end.node)))
        return portal_end_lost(p);
    if (l->job.n)
        give_back(l);
    if (l->done >= l->size)
        return portal_end_read(p, 0);
    r->peers = 1u << p->end.node;
    return empty(l) || !comm_has_left(&p->end) ? REQUEST_PENDING : portal_end_lost(p);
}

/* One that a signal ends has moved nothing; a reader's permission is still there. */
static bool undo(struct comm_long *l, struct portal *p)
{
    if (l->done || l->job.n)
        return false;
    if (p->end.state == COMM_OUTPUT) {
        end_write(l, 0);
    } else {
        p->size = 0;
        p->longer = NULL;
    }
    return true;
}

bool portal_drop_long(struct request *r, bool ends)
{
    struct comm_long *l = long_of(r);
    struct portal *p = l->portal;
    if (dma_is_busy(&l->job))
        return false;
    if (!ends)
        return undo(l, p);
    if (p && p->end.state == COMM_OUTPUT) {
        end_write(l, 0);
    } else if (p) {
        if (l->job.n && p->transfer != PORTAL_LOST)
            give_back(l);
        portal_end_read(p, 0);
    }
    return true;
}
