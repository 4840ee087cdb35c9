/* SPDX-License-Identifier: MIT */
/*
 * timer_set.c - timers in sets (core/timer.h). A run queue has a list of the sets of its domains that have a timer.
 * Their timers fire by deadline, over all sets of the active group. What is due beyond TIMERS_AT_ONCE has a deadline in
 * the past, so the next interrupt comes as soon as this one has ended, and the edge of a window in between.
 */
#include "timer_set.h"

#include <core/cpu.h>

struct list *timer_list(struct cpu *c, struct timer *t)
{
    struct timer_set *set = t->set;
    if (!set)
        return &c->timers;
    if (list_empty(&set->timers))
        list_push_back(&set->rq->timer_sets, &set->link);
    return &set->timers;
}

void timer_taken(struct timer *t)
{
    if (t->set && list_empty(&t->set->timers))
        list_remove(&t->set->link);
}

/* The sets that may fire. Without windows they are the one group's, also while its core sleeps and another run queue,
 * an empty one, is active (awake.c): a timer is what wakes the core then. */
static struct list *sets_of(struct cpu *c)
{
    return SCHED_WINDOWS ? &c->sched.active->timer_sets : &c->sched.group[0].timer_sets;
}

bool timer_sets_any(struct cpu *c)
{
    struct list *sets = sets_of(c);
    return READ_ONCE(sets->next) != sets;
}

struct timer *timer_sets_first(struct cpu *c)
{
    struct list *sets = sets_of(c);
    struct timer *first = NULL;
    for (struct list *pos = sets->next; pos != sets; pos = pos->next) {
        struct timer *t = list_entry(list_entry(pos, struct timer_set, link)->timers.next, struct timer, link);
        if (!first || t->deadline < first->deadline)
            first = t;
    }
    return first;
}
