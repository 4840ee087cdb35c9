/* SPDX-License-Identifier: MIT */
/*
 * timer.c - one-shot timers: a list for each core, ordered by deadline; equal deadlines fire in the order in which they
 * were armed. Lists are short (a handful of timers for each vCPU), so a walk beats a tree. Timers in sets have lists of
 * their own (timer_set.c).
 *
 * A timer's `cpu` changes only while it is not armed. If timer_cancel() locked the wrong core it sees that and tries
 * again. A timer that is not armed is in no list, so to cancel it takes no lock: who arms a timer has no business with
 * the core that it fired on before, or with core 0, which it names at first. `armed` is set and cleared under the lock;
 * it is the last word that timers_run() and timer_cancel() write and that they read first.
 */
#include <core/cpu.h>
#include <core/lock.h>
#include <core/timer.h>

#include "timer_set.h"

__noinline void timer_init(struct timer *t, void (*fn)(void *), void *arg)
{
    *t = (struct timer){ .fn = fn, .arg = arg };
}

static void insert(struct list *timers, struct timer *t)
{
    struct list *pos = timers->prev;
    while (pos != timers && list_entry(pos, struct timer, link)->deadline > t->deadline)
        pos = pos->prev;
    list_insert(&t->link, pos, pos->next);
}

static bool is_armed(const struct timer *t) { return __atomic_load_n(&t->armed, __ATOMIC_ACQUIRE); }

void timer_arm(struct timer *t, ticks_t deadline)
{
    unsigned long flags = irq_save();
    struct cpu *c = this_cpu();
    timer_cancel(t);
    if (deadline != TICKS_NEVER) {
        spin_lock(&c->timer_lock);
        t->cpu = (u16)c->id;
        t->deadline = deadline;
        __atomic_store_n(&t->armed, true, __ATOMIC_RELEASE);
        insert(timer_list(c, t), t);
        spin_unlock(&c->timer_lock);
        alarm_before(c, deadline);
    }
    irq_restore(flags);
}

/* Under the lock. */
static inline void take_off(struct timer *t)
{
    list_remove(&t->link);
    timer_taken(t);
    __atomic_store_n(&t->armed, false, __ATOMIC_RELEASE);
}

bool timer_cancel(struct timer *t)
{
    bool here = false;
    while (!here && is_armed(t)) {
        u16 cpu = READ_ONCE(t->cpu);
        unsigned long flags = spin_lock_irqsave(&cpu_of(cpu)->timer_lock);
        here = is_armed(t) && t->cpu == cpu;
        if (here)
            take_off(t);
        spin_unlock_irqrestore(&cpu_of(cpu)->timer_lock, flags);
    }
    return here;
}

/* Returns whether this core has no timer. No lock is needed: other cores only remove timers from this core's list. */
static bool no_timers(struct cpu *c) { return READ_ONCE(c->timers.next) == &c->timers; }

/* Returns the first timer of the core's own list, or NULL. Under the lock. */
static struct timer *first_timer(struct cpu *c)
{
    return list_empty(&c->timers) ? NULL : list_entry(c->timers.next, struct timer, link);
}

ticks_t timers_next(struct cpu *c)
{
    if (no_timers(c) && !timer_sets_any(c))
        return TICKS_NEVER;
    spin_lock(&c->timer_lock);
    const struct timer *own = first_timer(c), *in_set = timer_sets_first(c);
    ticks_t next = own ? own->deadline : TICKS_NEVER;
    if (in_set)
        next = MIN(next, in_set->deadline);
    spin_unlock(&c->timer_lock);
    return next;
}

/* Take a timer that is due off its list, release the lock, and call the timer's function. */
static void fire(struct cpu *c, struct timer *t)
{
    void (*fn)(void *) = t->fn;
    void *arg = t->arg;
    take_off(t);
    spin_unlock(&c->timer_lock);
    fn(arg);
}

void timers_run(struct cpu *c, ticks_t now)
{
    unsigned left = TIMERS_AT_ONCE; /* of timers in sets */
    while (likely(!no_timers(c) || (left && timer_sets_any(c)))) {
        spin_lock(&c->timer_lock);
        struct timer *t = first_timer(c);
        if (left && (!t || t->deadline > now)) {
            t = timer_sets_first(c);
            left--;
        }
        if (!t || t->deadline > now) {
            spin_unlock(&c->timer_lock);
            break;
        }
        fire(c, t);
    }
}

/*
 * A core's `alarm` is 0 from the begin to the end of core_irq_timer() and at no other time. Where it is two words, both
 * are 0 all that time. A reading that mixes an old and a new word may be 0 at another time, too, and only costs one
 * more turn of the loop.
 */
__cold void timers_synchronize(void)
{
    for (unsigned i = 0; i < n_cpus; i++) {
        /* It may leave meanwhile: its record stays, with an alarm that is not 0. */
        const struct cpu *c = READ_ONCE(cpus[i]);
        while (c && READ_ONCE(c->alarm) == 0)
            cpu_relax();
    }
}
