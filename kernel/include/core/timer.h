/* SPDX-License-Identifier: MIT */
/*
 * core/timer.h - one-shot timers, kept per core, no periodic tick.
 *
 * A timer fires on the core that armed it, in interrupt context, never early.
 * The core's hardware alarm is always armed for the earliest of: the first
 * timer, the end of the running thread's time slice, the next window edge.
 */
#ifndef AMALGAM_CORE_TIMER_H
#define AMALGAM_CORE_TIMER_H

#include <hal/time.h>
#include <list.h>

struct timer {
    struct list link; /* in the owning core's list, ordered by deadline */
    ticks_t deadline;
    void (*fn)(void *arg); /* interrupt context, no lock held; may re-arm its own timer */
    void *arg;
    u16 cpu; /* the core whose list holds it */
    bool armed;
};

void timer_init(struct timer *t, void (*fn)(void *), void *arg);
/* (Re-)arm on this core; TICKS_NEVER only cancels. Any context; safe against a concurrent fire on another core.
 * Two cores must not arm the same timer at once: its owner's lock orders them. */
void timer_arm(struct timer *t, ticks_t deadline);
/* Afterwards the timer is not armed; its function may still be running on another core. True if it was armed. */
bool timer_cancel(struct timer *t);
/* Afterwards the functions of all timers that were cancelled before have returned, on every core. Thread context. */
void timers_settle(void);

struct cpu;
/* Run what is due on this core; interrupt context. */
void timers_run(struct cpu *c, ticks_t now);
/* Deadline of the first timer of this core, TICKS_NEVER if none. Interrupts disabled. */
ticks_t timers_next(struct cpu *c);

#endif
