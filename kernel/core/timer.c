/* SPDX-License-Identifier: MIT */
/*
 * timer.c - one-shot timers: a list for each core, ordered by deadline; equal deadlines fire in the order in which they
 * were armed. Lists are short (a handful of timers for each vCPU), so a walk beats a tree.
 *
 * A timer's `cpu` changes only while it is not armed, and only under the lock of the core that it names. If
 * timer_cancel() locked the wrong core it sees that and tries again.
 */
#include <core/cpu.h>
#include <core/lock.h>
#include <core/timer.h>

__noinline void timer_init(struct timer *t, void (*fn)(void *), void *arg)
{
    *t = (struct timer){ .fn = fn, .arg = arg };
}

static void insert(struct cpu *c, struct timer *t)
{
    struct list *pos = c->timers.prev;
    while (pos != &c->timers && list_entry(pos, struct timer, link)->deadline > t->deadline)
        pos = pos->prev;
    list_insert(&t->link, pos, pos->next);
}

void timer_arm(struct timer *t, ticks_t deadline)
{
    unsigned long flags = irq_save();
    struct cpu *c = this_cpu();
    timer_cancel(t);
    if (deadline != TICKS_NEVER) {
        spin_lock(&c->timer_lock);
        t->cpu = (u16)c->id;
        t->deadline = deadline;
        t->armed = true;
        insert(c, t);
        spin_unlock(&c->timer_lock);
        alarm_before(c, deadline);
    }
    irq_restore(flags);
}

bool timer_cancel(struct timer *t)
{
    for (;;) {
        u16 cpu = READ_ONCE(t->cpu);
        unsigned long flags = spin_lock_irqsave(&cpu_of(cpu)->timer_lock);
        bool here = t->cpu == cpu, was = t->armed;
        if (here && was) {
            list_remove(&t->link);
            t->armed = false;
        }
        spin_unlock_irqrestore(&cpu_of(cpu)->timer_lock, flags);
        if (here)
            return was;
    }
}

/* Returns whether this core has no timer. No lock is needed: other cores only remove timers from this core's list. */
static bool no_timers(struct cpu *c) { return READ_ONCE(c->timers.next) == &c->timers; }

ticks_t timers_next(struct cpu *c)
{
    if (no_timers(c))
        return TICKS_NEVER;
    spin_lock(&c->timer_lock);
    ticks_t first = list_empty(&c->timers) ? TICKS_NEVER : list_entry(c->timers.next, struct timer, link)->deadline;
    spin_unlock(&c->timer_lock);
    return first;
}

void timers_run(struct cpu *c, ticks_t now)
{
    while (!no_timers(c)) {
        spin_lock(&c->timer_lock);
        struct timer *t = list_entry(c->timers.next, struct timer, link);
        if (list_empty(&c->timers) || t->deadline > now) {
            spin_unlock(&c->timer_lock);
            break;
        }
        list_remove(&t->link);
        t->armed = false;
        void (*fn)(void *) = t->fn;
        void *arg = t->arg;
        spin_unlock(&c->timer_lock);
        fn(arg);
    }
}

/*
 * A core's `alarm` is 0 from the begin to the end of core_irq_timer() and at no other time. Where it is two words, both
 * are 0 all that time. A reading that mixes an old and a new word may be 0 at another time, too, and only costs one
 * more turn of the loop.
 */
__cold void timers_synchronize(void)
{
    for (unsigned i = 0; i < n_cpus; i++)
        while (cpus[i] && READ_ONCE(cpus[i]->alarm) == 0)
            cpu_relax();
}
