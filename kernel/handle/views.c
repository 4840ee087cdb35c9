/* SPDX-License-Identifier: MIT */
/*
 * views.c - memory of other processes that a process shows; see views.h. kernel/api/handle.yaml describes the call.
 *
 * Who withdraws a range finds its views by `viewers`. handle_map() sets its bit while it uses the object by its
 * generation, and fills each batch of entries in such a use, too. So after the withdrawal's wait for users all views of
 * the generation are known and none gets another entry (tests/model/handle.pml).
 */
#include <errors.h>
#include <generated/handle_calls.h>
#include <hal/cpu.h>
#include <process/memory.h>

#include "views.h"

struct memory *memories[SYS_MAX_DOMAINS];

#define BATCH SPACE_GROUP /* entries that are changed with interrupts off; they follow each other */

/* Returns whether a thread may still reach what its process's tables no longer map. Under the lock. Asked twice of
 * each thread. */
static inline __attribute__((always_inline)) bool reaches(const struct memory *m, const struct process_thread *t,
                                                          const struct process_thread *self)
{
    return m->runs && t != self && user_forgot(&t->user) && process_has_core(t);
}

#if HANDLE_PAGES
/* process_flush() for a process that may end and begin anew meanwhile: its records are looked at while it runs only. Of
 * a process that has many cores all are interrupted first, so the time is that of one. */
static u64 interrupt_all(struct memory *m, struct process_thread *self)
{
    u64 waits = 0;
    for (unsigned i = 0; i < process_threads(m->process); i++) {
        struct process_thread *t = &m->process->thread[i];
        unsigned long flags = spin_lock_irqsave(&m->lock);
        if (m->runs)
            user_forget(&t->user);
        mp_fence();
        if (reaches(m, t, self)) {
            hal_ipi_resched(t->thread->cpu);
            waits |= 1ull << i;
        }
        spin_unlock_irqrestore(&m->lock, flags);
    }
    return waits;
}

static bool still_reaches(struct memory *m, const struct process_thread *t, struct process_thread *self)
{
    unsigned long flags = spin_lock_irqsave(&m->lock);
    bool waits = reaches(m, t, self);
    spin_unlock(&m->lock);
    if (self) /* whom another one may wait for */
        user_refresh(&self->user);
    irq_restore(flags);
    return waits;
}

static void flush(struct memory *m, struct process_thread *self)
{
    mp_fence();
    u64 waits = interrupt_all(m, self);
    for (unsigned i = 0; waits; i++, waits >>= 1)
        while (waits & 1 && still_reaches(m, &m->process->thread[i], self))
            cpu_relax();
}
#else
/* process_flush() for a thread of a process that may end and begin anew meanwhile: its records are looked at while it
 * runs only. */
static void flush_thread(struct memory *m, struct process_thread *t, struct process_thread *self)
{
    unsigned long flags = spin_lock_irqsave(&m->lock);
    if (m->runs)
        user_forget(&t->user);
    mp_fence();
    bool waits = reaches(m, t, self);
    if (waits)
        hal_ipi_resched(t->thread->cpu);
    spin_unlock_irqrestore(&m->lock, flags);
    while (waits) {
        cpu_relax();
        flags = spin_lock_irqsave(&m->lock);
        waits = reaches(m, t, self);
        spin_unlock(&m->lock);
        if (self) /* whom another one may wait for */
            user_refresh(&self->user);
        irq_restore(flags);
    }
}

static void flush(struct memory *m, struct process_thread *self)
{
    mp_fence();
    for (unsigned i = 0; i < process_threads(m->process); i++)
        flush_thread(m, &m->process->thread[i], self);
}
#endif

/* Clear entries of the view from its last one down, at most a batch, if it is still one of that object and generation.
 * Returns whether there are more. */
static bool clear_some(struct memory *m, struct view *v, const struct handle_object *o, u32 generation)
{
    unsigned long flags = spin_lock_irqsave(&m->lock);
    bool more = v->object == o && v->generation == generation && v->shown;
    if (more) {
        u64 size;
        u32 from = ALIGN_DOWN(v->shown - 1, BATCH);
        space_entry_t *entry = space_walk(&m->process->space, view_address(m, v) + (u64)from * PAGE_SIZE, &size);
        for (u32 i = 0; i < v->shown - from; i++)
            __atomic_store_n(&entry[i], 0, __ATOMIC_RELAXED);
        v->shown = from;
        more = from;
    }
    spin_unlock_irqrestore(&m->lock, flags);
    return more;
}

/* Unmap what a process shows of the object by handles of past generations. */
static void hide_from(struct memory *m, const struct handle_object *o, struct process_thread *self)
{
    bool any = false;
    for (struct view *v = m->view; v < m->view + VIEWS; v++) {
        u32 generation = READ_ONCE(v->generation);
        if (READ_ONCE(v->object) != o || generation == o->generation)
            continue;
        any = true; /* also where another one has cleared the entries, and may not have flushed yet */
        while (clear_some(m, v, o, generation))
            ;
    }
    if (any)
        flush(m, self);
}

/* With HANDLE_PAGES several may withdraw one range at once. Then each does the whole, so none of them returns before it
 * is done, and the bits stay until the range is made anew. */
static inline u32 take_viewers(struct range *r)
{
    return HANDLE_PAGES ? __atomic_load_n(&r->viewers, __ATOMIC_SEQ_CST)
                        : __atomic_exchange_n(&r->viewers, 0, __ATOMIC_SEQ_CST);
}

static __noinline void hide_from_all(struct handle_object *o, struct process_thread *self)
{
    u32 viewers = take_viewers(range_of(o));
    for (unsigned n = 0; viewers; n++, viewers >>= 1)
        if (viewers & 1)
            hide_from(memory_of(n), o, self);
}

void views_withdraw(struct handle_object *o, struct process_thread *self)
{
    if (READ_ONCE(range_of(o)->viewers))
        hide_from_all(o, self);
}

/* Find the view of a handle that is being closed. From now on it gets no entries. Returns NULL if it has none. */
static struct view *begin_close(struct memory *m, const struct handle_object *o, unsigned index)
{
    struct view *found = NULL;
    unsigned long flags = spin_lock_irqsave(&m->lock);
    for (struct view *v = m->view; v < m->view + VIEWS && !found; v++)
        if (v->object == o && v->handle == index && !v->closing)
            found = v;
    if (found)
        found->closing = true;
    spin_unlock_irqrestore(&m->lock, flags);
    return found;
}

static void free_view(struct memory *m, struct view *v, struct process_thread *self)
{
    while (clear_some(m, v, v->object, v->generation))
        ;
    if (self)
        flush(m, self);
    unsigned long flags = spin_lock_irqsave(&m->lock);
    v->object = NULL;
    m->views--;
    spin_unlock_irqrestore(&m->lock, flags);
}

void view_close(struct memory *m, struct handle_object *o, unsigned index, struct process_thread *self)
{
    struct view *v = READ_ONCE(m->views) ? begin_close(m, o, index) : NULL; /* begin_view() of this handle is over */
    if (v)
        free_view(m, v, self);
}

void views_end(struct memory *m)
{
    for (struct view *v = m->view; v < m->view + VIEWS; v++)
        if (v->object)
            free_view(m, v, NULL);
}

/* Mapping */

/* Enter the view's next pages, at most a batch. The object is taken; under the lock. */
static void enter_pages(struct memory *m, struct view *v, const struct process_pins *pins)
{
    u64 size;
    u32 n = MIN(pins->n - v->shown, BATCH);
    space_entry_t *entry = space_walk(&m->process->space, view_address(m, v) + (u64)v->shown * PAGE_SIZE, &size);
    for (u32 i = 0; i < n; i++, v->shown++) {
        paddr_t pa = virt_to_phys(pins->memory) + ((paddr_t)pins->frame[v->shown] << PAGE_SHIFT);
        __atomic_store_n(&entry[i], space_entry_of(pa, v->rights & HANDLE_WRITE ? SPACE_WRITE : 0), __ATOMIC_RELEASE);
    }
}

/* Make the view of a handle, with its first pages. Returns 0, -EEXIST or -ENOMEM. The object is taken. */
static int new_view(struct memory *m, const struct handle *h, unsigned index, struct view **view)
{
    int err = 0;
    struct view *place = NULL;
    spin_lock(&m->lock);
    for (struct view *v = m->view; v < m->view + VIEWS; v++) {
        if (!v->object)
            place = place ? place : v;
        else if (v->object == h->object && v->handle == index)
            err = -EEXIST;
    }
    if (!err && place) {
        *place = (struct view){ h->object, h->generation, h->rights, 0, (u8)index, false };
        m->views++;
        enter_pages(m, place, &range_of(h->object)->pins);
    }
    spin_unlock(&m->lock);
    *view = place;
    return err || place ? err : -ENOMEM;
}

/* Enter the next pages of a view that has some. Returns 0; -EBADF: its handle was closed. The object is taken. */
static int show_more(struct memory *m, struct view *v, const struct handle *h, unsigned index)
{
    const struct process_pins *pins = &range_of(h->object)->pins;
    spin_lock(&m->lock);
    bool is = v->object == h->object && v->generation == h->generation && v->handle == index && !v->closing;
    if (is && v->shown < pins->n)
        enter_pages(m, v, pins);
    spin_unlock(&m->lock);
    return is ? 0 : -EBADF;
}

/* Returns why the memory of a handle is not shown, or 0. */
static int may_map(const struct handle *h)
{
    if (!h->object)
        return -EBADF;
    if (h->object->kind != HANDLE_MEMORY)
        return -EINVAL;
    return h->rights & HANDLE_READ ? 0 : -EACCES;
}

/* Begin the view of the process's handle `index`, in one use of the object, under the lock of the table: who closes the
 * handle after this finds the view. Returns 0, or why not; a copy of the handle in *h. */
static int begin_view(struct memory *m, unsigned index, struct handle *h, struct view **view)
{
    struct handles *of = handles_of(m->process);
    unsigned long flags = spin_lock_irqsave(&of->lock);
    *h = of->handle[index];
    int err = may_map(h);
    if (!err)
        err = handle_enter(h->object, h->generation);
    if (!err) {
        __atomic_fetch_or(&range_of(h->object)->viewers, 1u << m->process->domain->id, __ATOMIC_SEQ_CST);
        err = new_view(m, h, index, view);
        handle_put(h->object);
    }
    spin_unlock_irqrestore(&of->lock, flags);
    return err;
}

s64 handle_call_handle_map(struct process_thread *t, u32 index)
{
    struct memory *m = memory_of(t->process->domain->id);
    struct handle h;
    struct view *v = NULL;
    int err = begin_view(m, index, &h, &v);
    if (err)
        return err;
    for (u32 done = BATCH, pages = h.object->size / PAGE_SIZE; done < pages && !err; done += BATCH) {
        unsigned long flags = irq_save();
        err = handle_enter(h.object, h.generation);
        if (!err) {
            err = show_more(m, v, &h, index);
            handle_put(h.object);
        }
        irq_restore(flags);
    }
    if (SPACE_RECALLS_NOTHING)
        user_forget(&t->user);
    return err ? err : (s64)view_address(m, v);
}
