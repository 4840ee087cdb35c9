/* SPDX-License-Identifier: MIT */
/*
 * core/timer.h - one-shot timers of each core; there is no periodic tick.
 *
 * A timer fires on the core that armed it, in interrupt context, never early. The core's hardware alarm is set to the
 * earliest of: the first timer, the end of the running thread's time slice, the next window edge.
 *
 * A domain whose program decides how many timers there are and when they fire, a process, has a *set* of them on each
 * of its cores. Timers of a set fire while its domain's group may run on the core, since its threads cannot run before,
 * and only a few in each interrupt. They are no part of the core's own list, so they do not make it longer to walk
 * along.
 */
#ifndef AMALGAM_CORE_TIMER_H
#define AMALGAM_CORE_TIMER_H

#include <hal/time.h>
#include <list.h>

struct runqueue;

struct timer_set {
    struct list link;    /* in its group's list while one of its timers is armed */
    struct list timers;  /* by deadline */
    struct runqueue *rq; /* of its group on its core */
};

struct timer {
    struct list link; /* in the list of the owning core or of its set, ordered by deadline */
    ticks_t deadline;
    void (*fn)(void *arg); /* interrupt context, no lock held; may re-arm its own timer */
    void *arg;
    struct timer_set *set; /* NULL: it is in none; its owner sets it before it arms the timer, on the set's core */
    u16 cpu;               /* the core whose list holds it, or held it last */
    bool armed;
};

void timer_init(struct timer *t, void (*fn)(void *), void *arg);
/* Arm the timer on this core, also one that is armed; TICKS_NEVER only cancels it. It may fire on another core at the
 * same time. Two cores must not arm the same timer at once: its owner's lock orders them. Any context. */
void timer_arm(struct timer *t, ticks_t deadline);
/* Disarm the timer; its function may still be running on another core. Returns whether it was armed; if it was not, no
 * lock is taken. */
bool timer_cancel(struct timer *t);
/* Initialize an empty set. */
static inline void timer_set_init(struct timer_set *set, struct runqueue *rq)
{
    list_init(&set->timers);
    set->rq = rq;
}
/* Wait until the functions of all timers that were cancelled before have returned, on every core. Thread context. */
void timers_synchronize(void);

struct cpu;
#define TIMERS_AT_ONCE 8
/* Call the functions of the core's timers that are due, and of TIMERS_AT_ONCE in sets at most. Interrupt context. */
void timers_run(struct cpu *c, ticks_t now);
/* Returns the deadline of the first timer that this core looks at in its present window, TICKS_NEVER if there is none.
 * It may be past. Interrupts must be off. */
ticks_t timers_next(struct cpu *c);

#endif
