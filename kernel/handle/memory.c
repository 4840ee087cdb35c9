/* SPDX-License-Identifier: MIT */
/* memory.c - ranges of memory that processes share; see memory.h. kernel/api/handle.yaml describes the call. */
#include <core/frames.h>
#include <errors.h>
#include <generated/handle_calls.h>
#include <process/memory.h>
#include <process/part.h>

#include "memory.h"
#include "views.h"

#define MEMORY_PAGES (ALIGN_UP(sizeof(struct memory), PAGE_SIZE) / PAGE_SIZE)

#if HANDLE_PAGES
static inline bool has_pins(const struct range *r) { return !r->parent; }

/* Under the lock. */
static inline void make_anew(struct range *r)
{
    r->viewers = 0;
    r->parent = NULL;
    r->derived = false;
    r->life++;
}
#else
static inline bool has_pins(const struct range *r) { return true; }
static inline void make_anew(struct range *r) {}
#endif

void range_free(struct range *r, struct process_thread *self)
{
    if (self && has_pins(r))
        process_unpin(self, &r->pins); /* else the next run finds all frames free */
    __atomic_store_n(&r->used, false, __ATOMIC_RELEASE);
}

/* handle_ops.closed */
static void closed(struct handle_object *o, struct process_thread *self, unsigned index, u32 rights)
{
    view_close(memory_of(self->process->domain->id), o, index, self);
    if (!(rights & HANDLE_OWN))
        return;
    handle_withdraw(o, self);
    if (!__atomic_fetch_or(&range_of(o)->holds, RANGE_CLOSED, __ATOMIC_SEQ_CST))
        range_free(range_of(o), self);
}

const struct handle_ops range_ops = { .withdrawn = HANDLE_PAGES ? ranges_withdraw : views_withdraw, .closed = closed };

struct range *range_new(struct memory *m)
{
    struct range *found = NULL;
    unsigned long flags = spin_lock_irqsave(&m->lock);
    for (struct range *r = m->range; r < m->range + RANGES && !found; r++)
        if (!__atomic_load_n(&r->used, __ATOMIC_ACQUIRE) && r->object.generation != HANDLE_SPENT)
            found = r;
    if (found) {
        found->used = true;
        found->holds = 0;
        make_anew(found);
    }
    spin_unlock_irqrestore(&m->lock, flags);
    return found;
}

s64 handle_call_handle_memory(struct process_thread *t, u64 address, u32 size, u32 writes)
{
    int err = process_check_pages(address, size);
    if (err)
        return err;
    struct range *r = range_new(memory_of(t->process->domain->id));
    if (!r)
        return -ENOMEM;
    err = process_pin(t, address, size, writes, &r->pins);
    if (err) {
        r->used = false;
        return err;
    }
    r->object.kind = HANDLE_MEMORY;
    r->object.size = size;
    r->object.ops = &range_ops;
    s64 index =
        handle_give(t->process, &r->object, HANDLE_READ | (writes ? HANDLE_WRITE : 0) | HANDLE_SEND | HANDLE_OWN);
    if (index < 0)
        range_free(r, t);
    return index;
}

/* For components */

paddr_t handle_memory_at(const struct handle_object *o, u32 offset, u32 size)
{
    const struct process_pins *pins = &container_of(o, const struct range, object)->pins;
    if (!size || offset >= o->size || size > o->size - offset)
        return (paddr_t)-1;
    u32 first = offset / PAGE_SIZE, last = (offset + size - 1) / PAGE_SIZE;
    for (u32 i = first; i < last; i++)
        if (pins->frame[i] + 1 != pins->frame[i + 1])
            return (paddr_t)-1;
    return virt_to_phys(pins->memory) + ((paddr_t)pins->frame[first] << PAGE_SHIFT) + offset % PAGE_SIZE;
}

void handle_memory_hold(struct handle_object *o) { __atomic_fetch_add(&range_of(o)->holds, 1, __ATOMIC_SEQ_CST); }

void handle_memory_release(struct handle_object *o, struct process_thread *self)
{
    if (self && __atomic_sub_fetch(&range_of(o)->holds, 1, __ATOMIC_SEQ_CST) == RANGE_CLOSED)
        range_free(range_of(o), self);
}

/* The process's moments */

static __init_text int make(struct process *p)
{
    int err = 0;
    struct memory *m = pages_alloc(MEMORY_PAGES);
    if (!m)
        return -ENOMEM;
    m->process = p;
    memories[p->domain->id] = m;
    for (struct view *v = m->view; v < m->view + VIEWS && !err; v++) /* a page of its own, which map_program() unmaps */
        err = space_map(&p->space, view_address(m, v), p->memory, PAGE_SIZE, 0);
    return err;
}

static int set_runs(struct process *p, bool runs)
{
    struct memory *m = memory_of(p->domain->id);
    unsigned long flags = spin_lock_irqsave(&m->lock);
    m->runs = runs;
    spin_unlock_irqrestore(&m->lock, flags);
    return 0;
}

static int begin(struct process *p) { return set_runs(p, true); }

/* Its frames are used again by the next run only, whatever holds them. */
static int end(struct process *p)
{
    struct memory *m = memory_of(p->domain->id);
    set_runs(p, false);
    for (struct range *r = m->range; r < m->range + RANGES; r++) {
        if (!r->used)
            continue;
        handle_withdraw(&r->object, NULL);
        range_free(r, NULL);
    }
    views_end(m);
    return 0;
}

PROCESS_PART(handles_of_memory, .at = { [PROCESS_MAPS] = make, [PROCESS_BEGINS] = begin, [PROCESS_ENDS] = end });
