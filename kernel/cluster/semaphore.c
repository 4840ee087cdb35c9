/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - semaphores of processes, by remote calls (kernel/api/remote.yaml; CONFIG_CLUSTER_REMOTE_ALL).
 *
 * Only the master uses the table, so it needs no lock. A request that finds the value 0 stays in the queue of its
 * semaphore, where the master does not try it again; whoever gives one then finishes the first of them, and the value
 * stays 0. So the longest waiter is the first, and nobody comes between. Who is to stop, or has a signal to take,
 * leaves the queue by `drop` (tests/model/request_queued.pml).
 */
#include <errors.h>
#include <generated/remote_calls.h>
#include <process/part.h>

#include "calls.h"

#define SEMAPHORES 128u /* of all processes; kernel/api/remote.yaml says it, too */

struct semaphore_record {
    u32 value, most; /* most 0: free */
    u16 owner;
    struct list waiters; /* struct waiter */
};

struct waiter {
    struct comm comm;
    struct list link;
    bool waits; /* it is in the queue */
};

static struct semaphore_record semaphores[SEMAPHORES];

static inline struct waiter *waiter_of(struct request *r) { return container_of(comm_of(r), struct waiter, comm); }

/* Returns the record of c's descriptor; NULL: it is free, or another process's. */
static inline struct semaphore_record *find(const struct comm *c)
{
    struct semaphore_record *s = c->id < SEMAPHORES ? &semaphores[c->id] : NULL;
    return s && s->most && s->owner == c->owner ? s : NULL;
}

/* comm.user: the value, and in its upper half the most */
static s64 create(struct request *r)
{
    const struct comm *c = comm_of(r);
    unsigned has = 0, free = SEMAPHORES;
    for (unsigned i = SEMAPHORES; i-- > 0;) {
        has += semaphores[i].most && semaphores[i].owner == c->owner;
        free = semaphores[i].most ? free : i;
    }
    if (free == SEMAPHORES || !comm_in_share(has, SEMAPHORES))
        return -EAGAIN;
    struct semaphore_record *s = &semaphores[free];
    s->value = (u32)c->user;
    s->most = (u32)(c->user >> 32);
    s->owner = c->owner;
    list_init(&s->waiters);
    return free;
}

static s64 close(struct request *r)
{
    struct semaphore_record *s = find(comm_of(r));
    if (!s)
        return -EBADF;
    if (!list_empty(&s->waiters))
        return -EBUSY;
    s->most = 0;
    return 0;
}

static s64 try_down(struct request *r)
{
    struct semaphore_record *s = find(comm_of(r));
    if (!s)
        return -EBADF;
    if (!s->value)
        return -EAGAIN;
    s->value--;
    return 0;
}

static s64 down(struct request *r)
{
    struct waiter *w = waiter_of(r);
    struct semaphore_record *s = w->waits ? NULL : find(&w->comm);
    if (!s)
        return w->waits ? REQUEST_QUEUED : -EBADF;
    if (s->value) {
        s->value--;
        return 0;
    }
    list_push_back(&s->waiters, &w->link);
    w->waits = true;
    return REQUEST_QUEUED;
}

static bool leave(struct request *r, bool ends)
{
    list_remove(&waiter_of(r)->link);
    return true;
}

static s64 up(struct request *r)
{
    struct semaphore_record *s = find(comm_of(r));
    if (!s)
        return -EBADF;
    if (!list_empty(&s->waiters)) {
        struct waiter *first = list_entry(s->waiters.next, struct waiter, link);
        list_remove(&first->link);
        request_finish(&first->comm.request, 0);
        return 0;
    }
    if (s->value == s->most)
        return -ENOSPC;
    s->value++;
    return 0;
}

s64 remote_call_semaphore_create(struct process_thread *t, u32 value, u32 most)
{
    struct comm c;
    call_clear(&c);
    c.user = (u64)most << 32 | value;
    return !most || value > most ? -EINVAL : call_run(t, &c, create);
}

s64 remote_call_semaphore_close(struct process_thread *t, u32 id) { return call_id(t, id, close); }

s64 remote_call_semaphore_down(struct process_thread *t, u32 id)
{
    struct waiter w;
    call_clear(&w.comm);
    w.comm.id = (u16)id;
    w.comm.request.drop = leave;
    w.waits = false;
    return call_run(t, &w.comm, down);
}

s64 remote_call_semaphore_try_down(struct process_thread *t, u32 id) { return call_id(t, id, try_down); }

s64 remote_call_semaphore_up(struct process_thread *t, u32 id) { return call_id(t, id, up); }

/* The end of a process: no thread of it waits any more. */

static s64 close_all(struct request *r)
{
    u16 owner = comm_of(r)->owner;
    for (struct semaphore_record *s = semaphores; s < semaphores + SEMAPHORES; s++)
        if (s->most && s->owner == owner)
            s->most = 0;
    return 0;
}

static int process_ended(struct process *p) { return call_at_end(p, close_all); }

PROCESS_PART(semaphores, .at = { [PROCESS_ENDS] = process_ended });
