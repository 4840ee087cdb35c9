/* SPDX-License-Identifier: MIT */
/*
 * core/timer.h - one-shot timers of each core; there is no periodic tick.
 *
 * A timer fires on the core that armed it, in interrupt context, never early. The core's hardware alarm is set to the
 * earliest of: the first timer, the end of the running thread's time slice, the next window edge.
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
/* Arm the timer, or arm it anew, on this core; TICKS_NEVER only cancels it. It may fire on another core at the same
 * time. Two cores must not arm the same timer at once: its owner's lock orders them. Any context. */
void timer_arm(struct timer *t, ticks_t deadline);
/* Disarm the timer; its function may still be running on another core. Returns whether it was armed. */
bool timer_cancel(struct timer *t);
/* Wait until the functions of all timers that were cancelled before have returned, on every core. Thread context. */
void timers_synchronize(void);

struct cpu;
/* Call the functions of timers that are due on this core. Interrupt context. */
void timers_run(struct cpu *c, ticks_t now);
/* Returns the deadline of this core's first timer, TICKS_NEVER if there is none. Interrupts must be off. */
ticks_t timers_next(struct cpu *c);

#endif
