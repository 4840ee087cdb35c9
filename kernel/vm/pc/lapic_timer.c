/* SPDX-License-Identifier: MIT */
/*
 * lapic_timer.c - the local APIC's timer: one-shot, periodic, TSC deadline.
 *
 * The timer counts at 1 GHz before its divider. An expiry is work of the kernel in whatever window it falls. So a
 * period below 100 us is stretched, and a periodic timer is armed again only when its vCPU next runs: outside its
 * windows a vCPU has at most one expiry.
 */
#include <core/cpu.h>
#include "lapic.h"

#define TIMER_PERIOD_MIN_NS 100000ul

/* Return the divider's logarithm: codes 0 to 6 are 2 to 128, code 7 is 1. */
static unsigned divider_shift(const struct lapic *a) { return ((a->divide & 3) + (a->divide >> 1 & 4) + 1) & 7; }

static void raise_timer_irq(struct pc_vcpu *v)
{
    u32 lvt = v->lapic.lvt[LVT_TIMER];
    if (!(lvt & LVT_MASKED))
        lapic_accept(v, lvt & 0xff, false);
}

/* Return the ticks between two interrupts in periodic mode. */
static u64 interval(const struct lapic *a) { return MAX(a->period, time_from_ns(TIMER_PERIOD_MIN_NS)); }

static void timer_expired(void *arg)
{
    struct pc_vcpu *v = arg;
    struct lapic *a = &v->lapic;
    if (lapic_timer_mode(a) == MODE_PERIODIC) {
        a->expiry += interval(a);
        __atomic_fetch_or(&v->vcpu.requests, REQ_TIMER, __ATOMIC_SEQ_CST);
    } else {
        a->expiry = a->deadline = 0;
    }
    raise_timer_irq(v);
}

void lapic_resume_timer(struct pc_vcpu *v)
{
    struct lapic *a = &v->lapic;
    u64 now = time_now();
    if (!a->expiry || !a->period) /* it was stopped meanwhile, or counts no more */
        return;
    if (a->expiry <= now) /* several missed periods are one interrupt */
        a->expiry += ((now - a->expiry) / interval(a) + 1) * interval(a);
    timer_arm(&a->timer, a->expiry);
}

__noinline void lapic_timer_stop(struct lapic *a)
{
    timer_cancel(&a->timer);
    a->expiry = a->deadline = a->period = 0;
}

void lapic_timer_start(struct pc_vcpu *v, u32 initial)
{
    struct lapic *a = &v->lapic;
    if (lapic_timer_mode(a) == MODE_DEADLINE)
        return;
    lapic_timer_stop(a);
    a->timer_initial = initial;
    if (!initial)
        return;
    a->period = time_from_ns((u64)initial << divider_shift(a));
    a->expiry = time_now() + (lapic_timer_mode(a) == MODE_PERIODIC ? interval(a) : a->period);
    timer_arm(&a->timer, a->expiry);
}

u32 lapic_timer_count(const struct lapic *a)
{
    u64 now = time_now(), expiry = a->expiry;
    if (a->deadline || expiry <= now)
        return 0;
    return (u32)(time_to_ns(expiry - now) >> divider_shift(a));
}

void lapic_set_deadline(struct pc_vcpu *v, u64 tsc)
{
    struct lapic *a = &v->lapic;
    if (lapic_timer_mode(a) != MODE_DEADLINE)
        return;
    unsigned long flags = irq_save();
    if (tsc > time_now()) {
        a->expiry = a->deadline = tsc;
        timer_arm(&a->timer, tsc);
    } else {
        lapic_timer_stop(a);
        if (tsc)
            raise_timer_irq(v);
    }
    irq_restore(flags);
}

__init_text void lapic_timer_init(struct pc_vcpu *v) { timer_init(&v->lapic.timer, timer_expired, v); }
