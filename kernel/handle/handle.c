/* SPDX-License-Identifier: MIT */
/* handle.c - tables of handles, and withdrawal; see handle.h. */
#include <core/frames.h>
#include <errors.h>
#include <hal/cpu.h>
#include <process/part.h>
#include <string.h>

#include "table.h"

#define TABLE_PAGES (ALIGN_UP(sizeof(struct handles), PAGE_SIZE) / PAGE_SIZE)

struct handles *handles[SYS_MAX_DOMAINS];

struct handle handle_at(const struct process *p, unsigned index)
{
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    struct handle h = of->handle[index];
    spin_unlock_irqrestore(&of->lock, flags);
    return h;
}

int handle_add(struct process *p, const struct handle *h)
{
    struct handles *of = handles_of(p);
    for (unsigned i = p->n_channels; i < HANDLES; i++) {
        if (of->handle[i].object)
            continue;
        of->handle[i] = *h;
        return (int)i;
    }
    return -ENOSPC;
}

int handle_give(struct process *p, struct handle_object *o, u32 rights)
{
    struct handles *of = handles_of(p);
    struct handle h = { o, READ_ONCE(o->generation), rights };
    if (h.generation == HANDLE_SPENT)
        return -ENODEV;
    unsigned long flags = spin_lock_irqsave(&of->lock);
    int index = handle_add(p, &h);
    spin_unlock_irqrestore(&of->lock, flags);
    return index;
}

int handle_take(struct process *p, unsigned index, enum handle_kind kind, u32 rights, struct handle_object **taken)
{
    struct handles *of = handles_of(p);
    if (unlikely(index >= HANDLES))
        return -EBADF;
    spin_lock_here(&of->lock);
    struct handle h = of->handle[index];
    spin_unlock(&of->lock);
    if (unlikely(!h.object))
        return -EBADF;
    if (unlikely(h.object->kind != kind))
        return -EINVAL;
    int err = handle_enter(h.object, h.generation);
    if (likely(!err) && unlikely(rights & ~h.rights)) {
        handle_put(h.object);
        err = -EACCES;
    }
    *taken = h.object;
    return err;
}

/* All four accesses, here and in handle_enter(), are in one order (SEQ_CST): the generation is changed before the look
 * at the users, and a user is counted before its look at the generation. So one of both sees the other. Whoever else
 * has changed it meanwhile (derived.c) has withdrawn the object as well: no generation comes twice. */
void handle_withdraw(struct handle_object *o, struct process_thread *self)
{
    u32 generation = READ_ONCE(o->generation);
    if (generation == HANDLE_SPENT)
        return;
    __atomic_compare_exchange_n(&o->generation, &generation, generation + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&o->users, __ATOMIC_SEQ_CST))
        cpu_relax();
    if (o->ops && o->ops->withdrawn)
        o->ops->withdrawn(o, self);
}

/* The table of a process's last run, whose threads have left. */
static int close_all(struct process *p)
{
    struct handles *of = handles_of(p);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    memset(of->handle, 0, sizeof(of->handle));
    spin_unlock_irqrestore(&of->lock, flags);
    return 0;
}

static __init_text int make_table(struct process *p)
{
    struct handles *of = pages_alloc(TABLE_PAGES);
    if (!of)
        return -ENOMEM;
    handles[p->domain->id] = of;
    return 0;
}

PROCESS_PART(handles, .at = { [PROCESS_MAPS] = make_table, [PROCESS_ENDS] = close_all });
