/* SPDX-License-Identifier: MIT */
/* calls_portal.c - the calls of portals: pages by the outbox, and long transfers by the DMA engine. See calls.h. */
#include <process/memory.h>
#include <string.h>

#include "calls.h"
#include "policy.h"

s64 cluster_call_portal_create(struct process_thread *t, u32 local, u32 port)
{
    return call_place(t, local, port, portal_create);
}

s64 cluster_call_portal_allow(struct process_thread *t, u32 id, u32 remote, u32 port)
{
    return call_id_place(t, id, remote, port, portal_allow);
}

s64 cluster_call_portal_open(struct process_thread *t, u32 local, u32 remote, u32 port)
{
    return local == noc_self() ? call_place(t, remote, port, portal_open) : -EINVAL;
}

s64 cluster_call_portal_close(struct process_thread *t, u32 id, u32 type)
{
    return call_close(t, id, type, portal_close);
}

/* Copies the data directly to the outbox, where the reader's core reads them. The rest of the page, which the reader
 * could also read, is cleared of an older transfer's data. */
static __inlined s64 send_page(struct process_thread *t, u32 id, u64 data, u64 n, s64 (*begin)(struct request *r),
                               s64 (*send)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    s64 err = call_check_buffer(data, n, COMM_PAGE);
    if (!err)
        err = call_run(t, &c, begin);
    if (err)
        return err;
    policy_page(c.room, COMM_PAGE);
    err = call_read_user(t, c.room, data, n);
    if (!err)
        memset((char *)c.room + n, 0, COMM_PAGE - n);
    noc_clean(c.room, COMM_PAGE);
    c.size = err ? 0 : (u16)n;
    s64 sent = call_run(t, &c, send);
    return err ? err : sent;
}

__noinline s64 cluster_call_portal_awrite(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return send_page(t, id, data, n, portal_begin, portal_send);
}

__noinline s64 cluster_call_portal_try_write(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return send_page(t, id, data, n, portal_try_begin, portal_send_whole);
}

s64 cluster_call_portal_aread(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return call_start_read(t, id, data, n, COMM_PAGE, portal_aread);
}

__noinline s64 cluster_call_portal_wait(struct process_thread *t, u32 id)
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    s64 err = call_run(t, &c, portal_wait);
    if (err || !c.size)
        return err;
    if (c.node == noc_self())
        policy_page(c.room, c.size);
    else
        noc_invalidate(c.room, c.size);
    int copied = call_write_user(t, c.user, c.room, c.size);
    err = call_run(t, &c, portal_taken);
    return copied ? copied : err;
}

static __noinline s64 run_pinned(struct process_thread *t, u32 id, u64 n, const struct process_pins *pins,
                                 s64 (*serve)(struct request *r))
{
    struct comm_long l;
    call_clear(&l.comm);
    l.comm.id = (u16)id;
    l.comm.request.drop = portal_drop_long;
    l.portal = NULL;
    l.size = (u32)n;
    l.done = 0;
    l.job.memory = pins->memory;
    l.job.frame = pins->frame;
    l.job.at = pins->offset;
    l.job.n = 0;
    l.job.busy = false;
    return call_run(t, &l.comm, serve);
}

/* A transfer by the DMA engine. The pages are found and pinned here, so that the engine cannot fault; they are unpinned
 * when it is over, also if this thread has to stop. */
static __noinline s64 run_long(struct process_thread *t, u32 id, u64 data, u64 n, bool into,
                               s64 (*serve)(struct request *r))
{
    struct process_pins pins;
    s64 err = call_check_buffer(data, n, COMM_LONG);
    if (!err && !(dma_is_there() && policy_engine()))
        err = -ENOSYS;
    irq_enable();
    if (!err)
        err = process_pin(t, data, n, into, &pins);
    irq_disable();
    if (err)
        return err;
    err = run_pinned(t, id, n, &pins, serve);
    process_unpin(t, &pins);
    return err;
}

s64 cluster_call_portal_write(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_long(t, id, data, n, false, portal_write);
}

s64 cluster_call_portal_read(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_long(t, id, data, n, true, portal_read);
}

s64 cluster_call_portal_get_port(struct process_thread *t, u32 id) { return call_id(t, id, portal_port); }
