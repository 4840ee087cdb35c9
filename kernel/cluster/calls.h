/* SPDX-License-Identifier: MIT */
/*
 * calls.h - what the files of a cluster's calls share: calls.c (the forms that most have; mailboxes, syncs, the end of
 * a process) and calls_portal.c (portals).
 *
 * All accesses to the caller's memory are made here, on the caller's core: a buffer is read before the request goes to
 * the master, and written after its answer. The generated decoder checks ranges and choices; the master checks the
 * rest.
 */
#ifndef AMALGAM_CLUSTER_CALLS_H
#define AMALGAM_CLUSTER_CALLS_H

#include <errors.h>
#include <generated/cluster_calls.h>
#include <hal/cpu.h>
#include <hal/noc.h>
#include <process/memory.h>

#include "comm.h"

/* Clear all fields that have a meaning before the call. A comm is padded to whole lines, which an initializer would
 * clear, too. */
static inline void call_clear(struct comm *c)
{
    c->request.drop = NULL;
    c->request.cancelled = REQUEST_STAYS;
    c->id = c->node = c->port = c->size = 0;
    c->type = 0;
    c->user = 0;
    c->room = c->data = NULL;
}

static inline s64 call_run(struct process_thread *t, struct comm *c, s64 (*serve)(struct request *r))
{
    c->owner = (u16)t->process->domain->id;
    c->request.serve = serve;
    return request_run(&c->request);
}

/* Run a request for a process that has ended, on its last thread. Returns 0. */
static inline int call_at_end(struct process *p, s64 (*serve)(struct request *r))
{
    struct comm c;
    call_clear(&c);
    c.owner = (u16)p->domain->id;
    c.request.serve = serve;
    c.request.cancelled = REQUEST_TO_END;
    irq_disable();
    request_run(&c.request);
    irq_enable();
    return 0;
}

/* Copies of user memory, which may wait for a page. */

static inline int call_read_user(struct process_thread *t, void *to, u64 from, size_t n)
{
    irq_enable();
    int err = process_read(t, to, from, n);
    irq_disable();
    return err;
}

static inline int call_write_user(struct process_thread *t, u64 to, const void *from, size_t n)
{
    irq_enable();
    int err = process_write(t, to, from, n);
    irq_disable();
    return err;
}

/* Check a buffer of 1 to `most` bytes. Returns 0, -EINVAL or -EFAULT. */
int call_check_buffer(u64 data, u64 n, u64 most);

/* Run a request in one of the forms that most calls have: a node and port; a descriptor; a descriptor that is freed; a
 * descriptor, a node and a port. The last one starts a read of up to `most` bytes. */
s64 call_place(struct process_thread *t, u32 node, u32 port, s64 (*serve)(struct request *r));
s64 call_id(struct process_thread *t, u32 id, s64 (*serve)(struct request *r));
s64 call_close(struct process_thread *t, u32 id, u32 type, s64 (*serve)(struct request *r));
s64 call_id_place(struct process_thread *t, u32 id, u32 node, u32 port, s64 (*serve)(struct request *r));
s64 call_start_read(struct process_thread *t, u32 id, u64 data, u64 n, u64 most, s64 (*serve)(struct request *r));

#endif
