/* SPDX-License-Identifier: MIT */
/* pipe.c - pipes between processes; see pipe.h. kernel/api/spawn.yaml describes the calls. */
#include "pipe.h"

#include <core/domain.h>
#include <core/frames.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/spawn_calls.h>
#include <hal/cpu.h>
#include <process/part.h>

#include "events.h"
#include "ring.h"

#define ROOM  4096u /* bytes; PIPE_BUF of programs */
#define EACH  2u    /* pipes for each slot of a process */
#define PIPES (EACH * SYS_MAX_DOMAINS)

enum { READER, WRITER, ENDS };

static struct pipe {
    struct handle_object object;
    struct ring ring;               /* its lock guards all of the pipe */
    bool made;                      /* it has memory */
    bool ending;                    /* its last holder is about to make it free */
    bool used;                      /* there are handles of it, or somebody reads or writes */
    u8 owner;                       /* domain */
    u8 held[SYS_MAX_DOMAINS][ENDS]; /* handles that each process has */
    u32 n[ENDS];                    /* of all */
} pipes[PIPES];

static struct pipe *pipe_of(struct handle_object *o) { return container_of(o, struct pipe, object); }

/* Wake all who have an end, but for whom it holds no lock. */
static void ring_holders(struct pipe *p)
{
    for (unsigned d = 0; d < n_domains; d++)
        if (READ_ONCE(p->held[d][READER]) || READ_ONCE(p->held[d][WRITER]))
            events_ring(d);
    sched_poll();
}

/* If nobody has it any more it is free. Handles that are still in the table of a process that has ended are void. */
static void free_unused(struct pipe *p)
{
    unsigned long flags = spin_lock_irqsave(&p->ring.lock);
    bool last = p->used && !p->ending && !p->n[READER] && !p->n[WRITER] && !p->ring.reading && !p->ring.writing;
    p->ending |= last;
    spin_unlock_irqrestore(&p->ring.lock, flags);
    if (!last)
        return;
    handle_withdraw(&p->object, NULL);
    flags = spin_lock_irqsave(&p->ring.lock);
    p->ending = false; /* who has the lock next sees that the handles are void */
    spin_unlock_irqrestore(&p->ring.lock, flags);
    __atomic_store_n(&p->used, false, __ATOMIC_RELEASE);
}

static void drop(struct pipe *p, unsigned domain, unsigned end, u8 n)
{
    unsigned long flags = spin_lock_irqsave(&p->ring.lock);
    p->held[domain][end] -= n;
    p->n[end] -= n;
    spin_unlock_irqrestore(&p->ring.lock, flags);
    ring_holders(p);
    free_unused(p);
}

/* handle_ops.closed */
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    drop(pipe_of(o), self->process->domain->id, rights & HANDLE_READ ? READER : WRITER, 1);
}

static const struct handle_ops ops = { .closed = closed };

void pipe_hold(const struct handle *h, unsigned domain)
{
    struct pipe *p = pipe_of(h->object);
    unsigned end = h->rights & HANDLE_READ ? READER : WRITER;
    unsigned long flags = spin_lock_irqsave(&p->ring.lock);
    if (!p->ending && p->object.generation == h->generation) { /* else the handle is void, or about to be */
        p->held[domain][end]++;
        p->n[end]++;
    }
    spin_unlock_irqrestore(&p->ring.lock, flags);
}

/* Calls */

static struct pipe *new_pipe(unsigned owner)
{
    for (struct pipe *p = pipes; p < pipes + PIPES; p++)
        if (p->made && p->owner == owner && p->object.generation != HANDLE_SPENT &&
            !__atomic_test_and_set(&p->used, __ATOMIC_ACQ_REL))
            return p;
    return NULL;
}

static void forget(struct process *p, unsigned index)
{
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    of->handle[index].object = NULL;
    spin_unlock_irqrestore(&of->lock, flags);
}

s64 spawn_call_spawn_pipe(struct process_thread *t)
{
    unsigned domain = t->process->domain->id;
    struct pipe *p = new_pipe(domain);
    if (!p)
        return -ENOMEM;
    p->ring.first = p->ring.end = 0;
    p->held[domain][READER] = p->held[domain][WRITER] = 1;
    p->n[READER] = p->n[WRITER] = 1;
    int reader = handle_give(t->process, &p->object, HANDLE_READ);
    int writer = reader < 0 ? reader : handle_give(t->process, &p->object, HANDLE_WRITE);
    if (writer >= 0)
        return reader | writer << 8;
    if (reader >= 0)
        forget(t->process, (unsigned)reader);
    drop(p, domain, READER, 1);
    drop(p, domain, WRITER, 1);
    return writer;
}

/* Take a pipe by its end, and begin. Returns what ring_begin_*() did, or why not. */
static s64 begin(struct process_thread *t, u32 handle, unsigned end, u32 n, struct pipe **pipe)
{
    struct handle_object *o;
    unsigned long flags = irq_save();
    s64 result = handle_take(t->process, handle, HANDLE_PIPE, end == READER ? HANDLE_READ : HANDLE_WRITE, &o);
    if (!result) {
        struct pipe *p = *pipe = pipe_of(o);
        spin_lock_here(&p->ring.lock);
        if (p->ending)
            result = -ESTALE; /* the caller's handle was closed meanwhile */
        else if (end == READER)
            result = !ring_used(&p->ring) && !p->n[WRITER] ? 0 : ring_begin_read(&p->ring, n);
        else
            result = !p->n[READER] ? -EPIPE : ring_begin_write(&p->ring, n);
        spin_unlock(&p->ring.lock);
        handle_put(o);
    }
    irq_restore(flags);
    return result;
}

static s64 done(struct pipe *p, s64 result)
{
    ring_holders(p);
    free_unused(p);
    return result;
}

s64 spawn_call_pipe_read(struct process_thread *t, u32 handle, u64 to, u32 n)
{
    struct pipe *p;
    s64 size = begin(t, handle, READER, n, &p);
    return n && size > 0 ? done(p, ring_read(&p->ring, t, to, (u32)size)) : size;
}

s64 spawn_call_pipe_write(struct process_thread *t, u32 handle, u64 from, u32 n)
{
    struct pipe *p;
    s64 size = begin(t, handle, WRITER, n, &p);
    return n && size > 0 ? done(p, ring_write(&p->ring, t, from, (u32)size)) : size;
}

/* The process's moments */

__init_text int pipes_make(unsigned slot, unsigned owner)
{
    for (struct pipe *p = &pipes[EACH * slot]; p < &pipes[EACH * (slot + 1)]; p++) {
        p->ring.bytes = pages_alloc(ROOM / PAGE_SIZE);
        if (!p->ring.bytes)
            return -ENOMEM;
        p->ring.room = ROOM;
        p->object = (struct handle_object){ .kind = HANDLE_PIPE, .ops = &ops };
        p->owner = (u8)owner;
        p->made = true;
    }
    return 0;
}

static int end(struct process *of)
{
    unsigned domain = of->domain->id;
    for (struct pipe *p = pipes; p < pipes + PIPES; p++)
        for (unsigned end = 0; end < ENDS; end++)
            if (p->held[domain][end])
                drop(p, domain, end, p->held[domain][end]);
    return 0;
}

PROCESS_PART(pipes, .at = { [PROCESS_ENDS] = end });
