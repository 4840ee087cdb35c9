/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of a cluster's process besides process.yaml; kernel/api/cluster.yaml describes them. See calls.h.
 */
#include <core/awake.h>
#include <process/part.h>
#include <string.h>

#include "calls.h"
#include "peer.h"

/* Out of line, where it would make all calls keep more registers. */
static __cold __noinline s64 more_info(const struct process_thread *t, u32 field)
{
    struct awake a = core_awake();
    return field == CLUSTER_CALL_CLUSTER_INFO_LIFE           ? noc_life()
           : field == CLUSTER_CALL_CLUSTER_INFO_DROPPED      ? READ_ONCE(lanes_dropped)
           : field == CLUSTER_CALL_CLUSTER_INFO_PROCESS_LIFE ? t->process->domain->life
           : field == CLUSTER_CALL_CLUSTER_INFO_AWAKE_LIMIT  ? a.limit
           : field == CLUSTER_CALL_CLUSTER_INFO_AWAKE        ? a.now
                                                             : a.most;
}

s64 cluster_call_cluster_info(struct process_thread *t, u32 field)
{
    return field == CLUSTER_CALL_CLUSTER_INFO_NODE    ? noc_self()
           : field == CLUSTER_CALL_CLUSTER_INFO_NODES ? noc_clusters()
                                                      : more_info(t, field);
}

s64 call_place(struct process_thread *t, u32 node, u32 port, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.node = (u16)node;
    c.port = (u16)port;
    return call_run(t, &c, serve);
}

s64 call_id(struct process_thread *t, u32 id, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    return call_run(t, &c, serve);
}

s64 call_close(struct process_thread *t, u32 id, u32 type, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.type = (u8)type;
    return call_run(t, &c, serve);
}

s64 call_id_place(struct process_thread *t, u32 id, u32 node, u32 port, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.node = (u16)node;
    c.port = (u16)port;
    return call_run(t, &c, serve);
}

int call_check_buffer(u64 data, u64 n, u64 most)
{
    if (!data || !n || n > most)
        return -EINVAL;
    return space_is_user(data, n) ? 0 : -EFAULT;
}

s64 call_start_read(struct process_thread *t, u32 id, u64 data, u64 n, u64 most, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.size = (u16)n;
    c.user = data;
    int err = call_check_buffer(data, n, most);
    return err ? err : call_run(t, &c, serve);
}

/* Mailboxes */

s64 cluster_call_mailbox_create(struct process_thread *t, u32 local, u32 port)
{
    return call_place(t, local, port, mailbox_create);
}

s64 cluster_call_mailbox_open(struct process_thread *t, u32 remote, u32 port)
{
    return call_place(t, remote, port, mailbox_open);
}

s64 cluster_call_mailbox_close(struct process_thread *t, u32 id, u32 type)
{
    return call_close(t, id, type, mailbox_close);
}

s64 cluster_call_mailbox_set_remote(struct process_thread *t, u32 id, u32 remote, u32 port)
{
    return call_id_place(t, id, remote, port, mailbox_filter);
}

static s64 run_send(struct process_thread *t, u32 id, u64 data, u64 n, s64 (*serve)(struct request *r))
{
    u8 message[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.size = COMM_MESSAGE;
    c.data = message;
    if (!data || !n || n > COMM_MESSAGE)
        return -EINVAL;
    int err = call_read_user(t, message, data, n); /* checks the rest */
    if (!err && n < COMM_MESSAGE)
        memset(message + n, 0, COMM_MESSAGE - n);
    return err ? err : call_run(t, &c, serve);
}

s64 cluster_call_mailbox_awrite(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_send(t, id, data, n, mailbox_awrite);
}

s64 cluster_call_mailbox_write(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_send(t, id, data, n, mailbox_write);
}

s64 cluster_call_mailbox_try_write(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return run_send(t, id, data, n, mailbox_try_write);
}

s64 cluster_call_mailbox_aread(struct process_thread *t, u32 id, u64 data, u64 n)
{
    return call_start_read(t, id, data, n, COMM_MESSAGE, mailbox_aread);
}

static s64 run_receive(struct process_thread *t, u32 id, u64 data, u64 n, s64 (*serve)(struct request *r))
{
    u8 message[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.size = (u16)n;
    c.user = data;
    c.data = message;
    s64 err = call_run(t, &c, serve);
    return err || !c.size ? err : call_write_user(t, c.user, message, c.size);
}

s64 cluster_call_mailbox_wait(struct process_thread *t, u32 id) { return run_receive(t, id, 0, 0, mailbox_wait); }

__noinline s64 cluster_call_mailbox_read(struct process_thread *t, u32 id, u64 data, u64 n)
{
    int err = call_check_buffer(data, n, COMM_MESSAGE);
    return err ? err : run_receive(t, id, data, n, mailbox_read);
}

s64 cluster_call_mailbox_receive(struct process_thread *t, u32 id, u64 data, u64 n)
{
    u8 message[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    call_clear(&c);
    c.id = (u16)id;
    c.size = (u16)n;
    c.user = data;
    c.data = message;
    s64 err = call_check_buffer(data, n, COMM_MESSAGE);
    err = err ? err : call_run(t, &c, mailbox_receive);
    err = err ? err : call_write_user(t, c.user, message, c.size);
    return err ? err : c.node << 8 | c.port;
}

s64 cluster_call_mailbox_get_port(struct process_thread *t, u32 id) { return call_id(t, id, mailbox_port); }

/* Syncs */

static s64 make_sync(struct process_thread *t, u64 nodes, u32 n, u32 type, s64 (*serve)(struct request *r))
{
    u8 list[COMM_MESSAGE] __aligned(NOC_LINE);
    struct comm c;
    call_clear(&c);
    c.type = (u8)type;
    c.size = (u16)n;
    c.data = list;
    if (!nodes || n < 2 || n > noc_clusters())
        return -EINVAL;
    for (u32 i = 0; i < n; i++) {
        u32 node;
        if (call_read_user(t, &node, nodes + i * sizeof(node), sizeof(node)))
            return -EFAULT;
        list[i] = (u8)MIN(node, 0xffu);
    }
    return call_run(t, &c, serve);
}

s64 cluster_call_sync_create(struct process_thread *t, u64 nodes, u32 n, u32 type)
{
    return make_sync(t, nodes, n, type, sync_create);
}

s64 cluster_call_sync_open(struct process_thread *t, u64 nodes, u32 n, u32 type)
{
    return make_sync(t, nodes, n, type, sync_open);
}

s64 cluster_call_sync_close(struct process_thread *t, u32 id, u32 type) { return call_close(t, id, type, sync_close); }

s64 cluster_call_sync_wait(struct process_thread *t, u32 id) { return call_id(t, id, sync_wait); }

s64 cluster_call_sync_signal(struct process_thread *t, u32 id) { return call_id(t, id, sync_signal); }

/* The end of a process */

static s64 close_all(struct request *r)
{
    u16 owner = comm_of(r)->owner;
    mailbox_close_all(owner);
    sync_close_all(owner);
    portal_close_all(owner);
    peer_end_owner(owner);
    return 0;
}

static int process_ended(struct process *p) { return call_at_end(p, close_all); }

PROCESS_PART(cluster, .at = { [PROCESS_ENDS] = process_ended });
