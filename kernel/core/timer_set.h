/* SPDX-License-Identifier: MIT */
/*
 * timer_set.h - what timer.c asks timer_set.c, or timer_set_none.c in a kernel without sets. c->timer_lock guards a
 * core's sets as it guards the core's list.
 */
#ifndef AMALGAM_CORE_TIMER_SET_H
#define AMALGAM_CORE_TIMER_SET_H

#include <core/timer.h>

/* Returns the list for a timer that is about to be armed on core `c`. Under the lock. */
struct list *timer_list(struct cpu *c, struct timer *t);
/* The timer has been removed from its list. Under the lock. */
void timer_taken(struct timer *t);
/* Returns whether a set of the active group may have a timer. No lock is needed, as for the core's own list. */
bool timer_sets_any(struct cpu *c);
/* Returns the first timer of the active group's sets, or NULL. A domain has one set on a core, so this looks at
 * SCHED_DOMAINS at most. Under the lock. */
struct timer *timer_sets_first(struct cpu *c);

#endif
