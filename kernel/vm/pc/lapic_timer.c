/* SPDX-License-Identifier: MIT */
/*
 * lapic_timer.c - the local APIC's timer: one-shot, periodic, TSC deadline.
 *
 * The timer counts at 1 GHz before its divider.  An expiry is the kernel's work, in
 * whatever window it falls: a period below 100 us is stretched, and a periodic timer is
 * armed again only when its vCPU next comes to run, so that outside of its windows
 * a vCPU has one expiry at most.
 */
#include <core/cpu.h>
#include "lapic.h"

#define TIMER_PERIOD_MIN_NS 100000ul

static u64 divider(const struct lapic *a)
{
    unsigned d = (a->divide & 3) | (a->divide >> 1 & 4);
    return d == 7 ? 1 : 2ul << d;
}

static void raise_lvt(struct pc_vcpu *v, unsigned n)
{
    u32 lvt = v->lapic.lvt[n];
    if (!(lvt & LVT_MASKED))
        lapic_accept(v, lvt & 0xff, false);
}

static void timer_expired(void *arg)
{
    struct pc_vcpu *v = arg;
    struct lapic *a = &v->lapic;
    if (lapic_timer_mode(a) == MODE_PERIODIC && a->period) {
        a->deadline += a->period;
        __atomic_fetch_or(&v->vcpu.requests, REQ_TIMER, __ATOMIC_SEQ_CST);
    } else {
        a->deadline = 0;
    }
    raise_lvt(v, LVT_TIMER);
}

void lapic_resume_timer(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    u64 now = time_now();
    if (!a->deadline || lapic_timer_mode(a) != MODE_PERIODIC || !a->period)
        return;
    if (a->deadline <= now) /* late by whole periods: they are one interrupt */
        a->deadline += ((now - a->deadline) / a->period + 1) * a->period;
    timer_arm(&a->timer, a->deadline);
}

static void stop(struct lapic *a)
{
    if (a->deadline)
        timer_cancel(&a->timer);
    a->deadline = 0;
}

void lapic_timer_stop(struct lapic *a)
{
    unsigned long flags = irq_save();
    stop(a);
    irq_restore(flags);
}

void lapic_timer_start(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    unsigned long flags = irq_save();
    stop(a);
    u64 ns = a->timer_initial * divider(a);
    if (ns && lapic_timer_mode(a) != MODE_DEADLINE) {
        a->period = time_from_ns(MAX(ns, TIMER_PERIOD_MIN_NS));
        a->deadline = time_now() + (lapic_timer_mode(a) == MODE_PERIODIC ? a->period : time_from_ns(ns));
        timer_arm(&a->timer, a->deadline);
    }
    irq_restore(flags);
}

u32 lapic_timer_count(const struct lapic *a)
{
    u64 now = time_now(), deadline = a->deadline;
    if (lapic_timer_mode(a) == MODE_DEADLINE || deadline <= now)
        return 0;
    return (u32)(time_to_ns(deadline - now) / divider(a));
}

void lapic_set_deadline(struct pc_vcpu *v, u64 tsc)
{
    struct lapic *a = &v->lapic;
    if (lapic_timer_mode(a) != MODE_DEADLINE)
        return;
    unsigned long flags = irq_save();
    if (tsc && tsc <= time_now()) {
        stop(a);
        raise_lvt(v, LVT_TIMER);
    } else if (tsc) {
        a->deadline = tsc;
        timer_arm(&a->timer, tsc);
    } else {
        stop(a);
    }
    irq_restore(flags);
}

__init_text void lapic_timer_init(struct pc_vcpu *v) { timer_init(&v->lapic.timer, timer_expired, v); }
