/* SPDX-License-Identifier: MIT */
/*
 * derived.c - withdraws a range with all that was derived of it (pages.c).
 *
 * A range is derived in a use of its parent, by the parent's generation (handle_enter). Who withdraws the parent gives
 * it another generation and waits for its users. So all that was derived is known then, and nothing comes after it:
 * these are the ranges whose parent has another generation by now. Each of them is withdrawn in turn, and then those
 * that were derived of it, until there is none (tests/model/pages.pml).
 *
 * Several may withdraw one range at once: its owner, and who withdraws an ancestor. None waits for another one, which
 * may be a thread of less priority on the same core. Each does the whole instead, which is the same twice.
 */
#include <errors.h>
#include <hal/cpu.h>

#include "views.h"

bool range_leave(struct handle_object *o, u32 from)
{
    return from != HANDLE_SPENT &&
           __atomic_compare_exchange_n(&o->generation, &from, from + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* range_leave() from whichever generation it has. */
static void leave_any_generation(struct handle_object *o)
{
    u32 now;
    while ((now = READ_ONCE(o->generation)) != HANDLE_SPENT && !range_leave(o, now))
        cpu_relax();
}

static bool lives_on(const struct range *r, u32 life) { return READ_ONCE(r->life) == life; }

void range_await_users(struct range *r, u32 life)
{
    while (__atomic_load_n(&r->object.users, __ATOMIC_SEQ_CST) && lives_on(r, life))
        cpu_relax();
}

/* If the range has lost its parent and may still be shown, no handle to it is valid any more. Returns whether it is so,
 * and the range's life in *life. */
static bool begin_end(struct memory *m, struct range *r, u32 *life)
{
    unsigned long flags = spin_lock_irqsave(&m->lock);
    bool lost = r->used && r->parent && !r->ended && READ_ONCE(r->parent->generation) != r->parent_generation;
    *life = r->life;
    if (lost)
        leave_any_generation(&r->object);
    spin_unlock_irqrestore(&m->lock, flags);
    return lost;
}

static void end_range(struct memory *m, struct range *r, u32 life, struct process_thread *self)
{
    range_await_users(r, life);
    views_withdraw(&r->object, self);
    unsigned long flags = spin_lock_irqsave(&m->lock);
    r->ended |= r->life == life;
    spin_unlock_irqrestore(&m->lock, flags);
}

/* Returns whether there were any. */
static bool end_of_memory(struct memory *m, struct process_thread *self)
{
    bool any = false;
    u32 life;
    for (struct range *r = m->range; r < m->range + RANGES; r++) {
        if (!READ_ONCE(r->parent) || !begin_end(m, r, &life))
            continue;
        end_range(m, r, life, self);
        any = true;
    }
    return any;
}

/* The n-th pass ends what is n steps from the range: no descent is longer than there are records. Others' withdrawals
 * that are under way are helped, so without a bound they could make one last. */
static void end_derived(struct process_thread *self)
{
    bool any = true;
    for (unsigned pass = 0; any && pass < SYS_MAX_DOMAINS * RANGES; pass++) {
        any = false;
        for (unsigned n = 0; n < SYS_MAX_DOMAINS; n++)
            any |= memory_of(n) && end_of_memory(memory_of(n), self);
    }
}

void ranges_withdraw(struct handle_object *o, struct process_thread *self)
{
    views_withdraw(o, self);
    if (READ_ONCE(range_of(o)->derived))
        end_derived(self);
}
