/* SPDX-License-Identifier: MIT */
/*
 * pages.c - page capabilities: ranges that are derived of others, and ranges that are revoked and kept; what ends them
 * is in derived.c. kernel/api/pages.yaml describes the calls.
 *
 * A derived range is one of the process that derives it. It has the frames of a part of its parent, and no pins: the
 * frames are the first ancestor's, which stays pinned until all that was derived of it is shown nowhere.
 */
#include <errors.h>
#include <generated/pages_calls.h>
#include <string.h>

#include "views.h"

/* Derive `r` of the object of `h`, `offset` bytes behind its begin. Returns 0 or -ESTALE. */
static int derive(struct memory *m, struct range *r, const struct handle *h, u32 offset, u32 size)
{
    const struct process_pins *of = &range_of(h->object)->pins;
    unsigned long flags = irq_save();
    int err = handle_enter(h->object, h->generation);
    if (!err) {
        r->object.kind = HANDLE_MEMORY;
        r->object.size = size;
        r->object.ops = &range_ops;
        r->pins.memory = of->memory;
        r->pins.offset = 0;
        r->pins.n = size / PAGE_SIZE;
        memcpy(r->pins.frame, of->frame + offset / PAGE_SIZE, r->pins.n * sizeof(of->frame[0]));
        WRITE_ONCE(range_of(h->object)->derived, true);
        spin_lock(&m->lock);
        WRITE_ONCE(r->parent, h->object);
        r->parent_generation = h->generation;
        r->ended = false;
        spin_unlock(&m->lock);
        handle_put(h->object);
    }
    irq_restore(flags);
    return err;
}

/* Give the process a handle of a generation that may be over by now. Returns its index or -ENOSPC. */
static s64 give(struct process *p, const struct handle *h)
{
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    s64 index = handle_add(p, h);
    spin_unlock_irqrestore(&of->lock, flags);
    return index;
}

/* Returns why there is no such part of what the handle names, or 0. */
static int check_part(const struct handle *h, u32 offset, u32 size, u32 rights)
{
    if (!h->object)
        return -EBADF;
    if (h->object->kind != HANDLE_MEMORY || !size || !IS_ALIGNED(offset | size, PAGE_SIZE))
        return -EINVAL;
    if (READ_ONCE(h->object->generation) != h->generation)
        return -ESTALE;
    if (rights & ~h->rights)
        return -EACCES;
    u32 whole = READ_ONCE(h->object->size); /* of this generation, or derive() fails */
    return offset < whole && size <= whole - offset ? 0 : -EINVAL;
}

s64 pages_call_pages_derive(struct process_thread *t, u32 index, u32 offset, u32 size, u32 rights)
{
    struct memory *m = memory_of(t->process->domain->id);
    struct handle h = handle_at(t->process, index);
    int err = check_part(&h, offset, size, rights);
    if (err)
        return err;
    struct range *r = range_new(m);
    if (!r)
        return -ENOMEM;
    struct handle made = { &r->object, READ_ONCE(r->object.generation), rights | HANDLE_OWN };
    err = derive(m, r, &h, offset, size);
    if (err) {
        __atomic_store_n(&r->used, false, __ATOMIC_RELEASE); /* it has no frames yet */
        return err;
    }
    s64 result = give(t->process, &made);
    if (result < 0)
        range_free(r, t);
    return result;
}

/* The handle that the owner has revoked is valid in the next generation, if that is one. Another one by now is none of
 * its: then what the range is derived of was withdrawn. */
static void renew(struct process *p, u32 index, const struct handle *h)
{
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    struct handle *now = &of->handle[index];
    if (h->generation + 1 != HANDLE_SPENT && now->object == h->object && now->generation == h->generation)
        now->generation++;
    spin_unlock_irqrestore(&of->lock, flags);
}

s64 pages_call_pages_revoke(struct process_thread *t, u32 index)
{
    struct handle h = handle_at(t->process, index);
    if (!h.object)
        return -EBADF;
    if (h.object->kind != HANDLE_MEMORY)
        return -EINVAL;
    if (!(h.rights & HANDLE_OWN))
        return -EPERM;
    struct range *r = range_of(h.object);
    u32 life = READ_ONCE(r->life);
    if (!range_leave(h.object, h.generation))
        return -ESTALE;
    range_await_users(r, life);
    ranges_withdraw(h.object, t);
    view_close(memory_of(t->process->domain->id), h.object, index, t);
    renew(t->process, index, &h);
    return 0;
}
