/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the calls of a cluster's process besides process.yaml; kernel/api/cluster.yaml describes them.
 *
 * All accesses to the caller's memory are made here, on the caller's core: a buffer is read before the request goes to
 * the master, and written after its answer. The generated decoder checks ranges and choices; the master checks the
 * rest.
 */
#include <core/awake.h>
#include <errors.h>
#include <generated/cluster_calls.h>
#include <hal/cpu.h>
#include <hal/noc.h>
#include <hal/time.h>
#include <process/process.h>
#include <string.h>

#include "comm.h"
#include "policy.h"

/* Clear all fields that have a meaning before the call. A comm is padded to whole lines, which an initializer would
 * clear, too. */
static inline void clear(struct comm *c)
{
    c->request.drop = NULL;
    c->request.cancelled = REQUEST_STAYS;
    c->id = c->node = c->port = c->size = 0;
    c->type = 0;
    c->user = 0;
    c->room = c->data = NULL;
}

static inline s64 run(struct process_thread *t, struct comm *c, s64 (*serve)(struct request *r))
{
    c->owner = (u16)t->process->domain->id;
    c->request.serve = serve;
    return request_run(&c->request);
}

/* Out of line, where it would make all calls keep more registers. */
static __noinline s64 awake_info(u32 field)
{
    struct awake a = core_awake();
    return field == CLUSTER_CALL_CLUSTER_INFO_AWAKE_LIMIT ? a.limit
           : field == CLUSTER_CALL_CLUSTER_INFO_AWAKE     ? a.now
                                                          : a.most;
}

s64 cluster_call_cluster_info(struct process_thread *t, u32 field)
{
    return field == CLUSTER_CALL_CLUSTER_INFO_NODE    ? noc_self()
           : field == CLUSTER_CALL_CLUSTER_INFO_NODES ? noc_clusters()
                                                      : awake_info(field);
}

/* Copies of user memory, which may wait for a page. */

static inline int read(struct process_thread *t, void *to, u64 from, size_t n)
{
    irq_enable();
    int err = process_read(t, to, from, n);
    irq_disable();
    return err;
}

static inline int write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    irq_enable();
    int err = process_write(t, to, from, n);
    irq_disable();
    return err;
}

/* Run a request in one of the forms that most calls have: a node and port; a descriptor; a descriptor that is freed; a
 * descriptor, a node and a port. */
static s64 run_place(struct process_thread *t, u32 node, u32 port, s64 (*serve)(struct request *r))
{
    struct comm c;
    clear(&c);
    c.node = (u16)node;
    c.port = (u16)port;
    return run(t, &c, serve);
}

static s64 run_id(struct process_thread *t, u32 id, s64 (*serve)(struct request *r))
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    return run(t, &c, serve);
}

static s64 run_close(struct process_thread *t, u32 id, u32 type, s64 (*serve)(struct request *r))
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    c.type = (u8)type;
    return run(t, &c, serve);
}

static s64 run_id_place(struct process_thread *t, u32 id, u32 node, u32 port, s64 (*serve)(struct request *r))
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    c.node = (u16)node;
    c.port = (u16)port;
    return run(t, &c, serve);
}

/* Check a buffer of 1 to `most` bytes. Returns 0 or -EINVAL. */
static int check_buffer(u64 data, u64 n, u64 most)
{
    if (!data || !n || n > most)
        return -EINVAL;
    return space_is_user(data, n) ? 0 : -EFAULT;
}

/* Start a read of up to `most` bytes. */
static s64 run_read(struct process_thread *t, u32 id, u64 data, u64 n, u64 most, s64 (*serve)(struct request *r))
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    c.size = (u16)n;
    c.user = data;
    int err = check_buffer(data, n, most);
    return err ? err : run(t, &c, serve);
}

/* Mailboxes */

s64 cluster_call_mailbox_create(struct process_thread *t, u32 local, u32 port)
{
    return run_place(t, local, port, mailbox_create);
}

s64 cluster_call_mailbox_open(struct process_thread *t, u32 remote, u32 port)
{
    return run_place(t, remote, port, mailbox_open);
}

s64 cluster_call_mailbox_close(struct process_thread *t, u32 id, u32 type)
{
    return run_close(t, id, type, mailbox_close);
}

s64 cluster_call_mailbox_set_remote(struct process_thread *t, u32 id, u32 remote, u32 port)
{
    return run_id_place(t, id, remote, port, mailbox_filter);
}

static s64 run_send(struct process_thread *t, u32 id, u64 data, u64 n, s64 (*serve)(struct request *r))
{
    u8 message[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    c.size = COMM_MESSAGE;
    c.data = message;
    if (!data || !n || n > COMM_MESSAGE)
        return -EINVAL;
    int err = read(t, message, data, n); /* checks the rest */
    if (!err && n < COMM_MESSAGE)
        memset(message + n, 0, COMM_MESSAGE - n);
    return err ? err : run(t, &c, serve);
}

s64 cluster_call_mailbox_awrite(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_send(t, id, data, n, mailbox_awrite);
}

s64 cluster_call_mailbox_write(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_send(t, id, data, n, mailbox_write);
}

s64 cluster_call_mailbox_aread(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_read(t, id, data, n, COMM_MESSAGE, mailbox_aread);
}

static s64 run_receive(struct process_thread *t, u32 id, u64 data, u64 n, s64 (*serve)(struct request *r))
{
    u8 message[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    c.size = (u16)n;
    c.user = data;
    c.data = message;
    s64 err = run(t, &c, serve);
    return err || !c.size ? err : write(t, c.user, message, c.size);
}

s64 cluster_call_mailbox_wait(struct process_thread *t, u32 id) { return run_receive(t, id, 0, 0, mailbox_wait); }

__noinline s64 cluster_call_mailbox_read(struct process_thread *t, u32 id, u64 data, u64 n)
{
    int err = check_buffer(data, n, COMM_MESSAGE);
    return err ? err : run_receive(t, id, data, n, mailbox_read);
}

s64 cluster_call_mailbox_get_port(struct process_thread *t, u32 id) { return run_id(t, id, mailbox_port); }

/* Portals */

s64 cluster_call_portal_create(struct process_thread *t, u32 local, u32 port)
{
    return run_place(t, local, port, portal_create);
}

s64 cluster_call_portal_allow(struct process_thread *t, u32 id, u32 remote, u32 port)
{
    return run_id_place(t, id, remote, port, portal_allow);
}

s64 cluster_call_portal_open(struct process_thread *t, u32 local, u32 remote, u32 port)
{
    return local == noc_self() ? run_place(t, remote, port, portal_open) : -EINVAL;
}

s64 cluster_call_portal_close(struct process_thread *t, u32 id, u32 type)
{
    return run_close(t, id, type, portal_close);
}

/* Copies the data directly to the outbox, where the reader's core reads them. The rest of the page, which the reader
 * could also read, is cleared of an older transfer's data. */
__noinline s64 cluster_call_portal_awrite(struct process_thread *t, u32 id, u64 data, u64 n)
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    s64 err = check_buffer(data, n, COMM_PAGE);
    if (!err)
        err = run(t, &c, portal_begin);
    if (err)
        return err;
    policy_page(c.room, COMM_PAGE);
    err = read(t, c.room, data, n);
    if (!err)
        memset((char *)c.room + n, 0, COMM_PAGE - n);
    noc_clean(c.room, COMM_PAGE);
    c.size = err ? 0 : (u16)n;
    s64 sent = run(t, &c, portal_send);
    return err ? err : sent;
}

s64 cluster_call_portal_aread(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_read(t, id, data, n, COMM_PAGE, portal_aread);
}

__noinline s64 cluster_call_portal_wait(struct process_thread *t, u32 id)
{
    struct comm c;
    clear(&c);
    c.id = (u16)id;
    s64 err = run(t, &c, portal_wait);
    if (err || !c.size)
        return err;
    if (c.node == noc_self())
        policy_page(c.room, c.size);
    else
        noc_invalidate(c.room, c.size);
    int copied = write(t, c.user, c.room, c.size);
    err = run(t, &c, portal_taken);
    return copied ? copied : err;
}

static __noinline s64 run_pinned(struct process_thread *t, u32 id, u64 n, const struct process_pins *pins,
                                 s64 (*serve)(struct request *r))
{
    struct comm_long l;
    clear(&l.comm);
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
    return run(t, &l.comm, serve);
}

/* A transfer by the DMA engine. The pages are found and pinned here, so that the engine cannot fault; they are unpinned
 * when it is over, also if this thread has to stop. */
static __noinline s64 run_long(struct process_thread *t, u32 id, u64 data, u64 n, bool into,
                               s64 (*serve)(struct request *r))
{
    struct process_pins pins;
    s64 err = check_buffer(data, n, COMM_LONG);
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

s64 cluster_call_portal_get_port(struct process_thread *t, u32 id) { return run_id(t, id, portal_port); }

/* Syncs */

static s64 make_sync(struct process_thread *t, u64 nodes, u32 n, u32 type, s64 (*serve)(struct request *r))
{
    u8 list[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    clear(&c);
    c.type = (u8)type;
    c.size = (u16)n;
    c.data = list;
    if (!nodes || n < 2 || n > noc_clusters())
        return -EINVAL;
    for (u32 i = 0; i < n; i++) {
        u32 node;
        if (read(t, &node, nodes + i * sizeof(node), sizeof(node)))
            return -EFAULT;
        list[i] = (u8)MIN(node, 0xffu);
    }
    return run(t, &c, serve);
}

s64 cluster_call_sync_create(struct process_thread *t, u64 nodes, u32 n, u32 type)
{
    return make_sync(t, nodes, n, type, sync_create);
}

s64 cluster_call_sync_open(struct process_thread *t, u64 nodes, u32 n, u32 type)
{
    return make_sync(t, nodes, n, type, sync_open);
}

s64 cluster_call_sync_close(struct process_thread *t, u32 id, u32 type) { return run_close(t, id, type, sync_close); }

s64 cluster_call_sync_wait(struct process_thread *t, u32 id) { return run_id(t, id, sync_wait); }

s64 cluster_call_sync_signal(struct process_thread *t, u32 id) { return run_id(t, id, sync_signal); }

/* Out of line, so that each call is the last thing that it does. */
static __attribute__((noinline, optimize("jump-tables"))) s64 decode(struct process_thread *t)
{
    return cluster_decode(t, &t->user);
}

bool process_blocking_more(struct process_thread *t, s64 *result)
{
    if (unlikely(user_number(&t->user) - CLUSTER_CALL_REMOTE_NULL > 0xffff))
        return false;
    *result = decode(t);
    return true;
}

/* The end of a process */

static s64 close_all(struct request *r)
{
    u16 owner = comm_of(r)->owner;
    mailbox_close_all(owner);
    sync_close_all(owner);
    portal_close_all(owner);
    return 0;
}

void process_exited(struct process *p)
{
    struct comm c;
    clear(&c);
    c.owner = (u16)p->domain->id;
    c.request.serve = close_all;
    c.request.cancelled = REQUEST_TO_END;
    irq_disable();
    request_run(&c.request);
    irq_enable();
}
