/* SPDX-License-Identifier: MIT */
/*
 * time.c - calibrates the TSC, and sets the one-shot alarm.
 *
 * The rate is measured against a reference (time_reference.c). If the machine's host preempts us a pair of readings can
 * be far apart, so each edge is the tightest of many tries.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/direct.h>
#include <arch/features.h>
#include <arch/time.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/time.h>

#define EDGE_TRIES   16
#define CALIBRATE_MS 20
#define TRIES        5

u64 time_hz;
const struct time_reference *time_measured_by;
static bool have_deadline;
u64 apic_per_tick;

/* mul_div() of 32 bits divides by less than 2^32. Returns whether this TSC is faster: then its rate is even, and half
 * of it is what time_to_ns() divides by (up to 8.5 GHz). */
static inline bool is_halved(void) { return sizeof(long) < sizeof(time_hz) && time_hz >> 32; }

struct edge {
    u64 ref, tsc, apic;
};

static __init_text void take_edge(const struct time_reference *r, struct edge *best)
{
    u64 best_gap = ~0ull;
    for (unsigned i = 0; i < EDGE_TRIES; i++) {
        u64 t0 = time_now(), ref = r->read(), apic = apic_read(APIC_TIMER_COUNT), gap = time_now() - t0;
        if (gap < best_gap) {
            best_gap = gap;
            *best = (struct edge){ ref, t0 + gap / 2, apic };
        }
    }
}

/* Measure both rates by the three clocks' readings at the begin and the end of CALIBRATE_MS. */
static __init_text void calibrate(const struct time_reference *r)
{
    struct edge a, b;
    apic_write(APIC_TIMER_INIT, ~0u);
    take_edge(r, &a);
    while (((r->read() - a.ref) & r->mask) < r->hz * CALIBRATE_MS / 1000)
        cpu_relax();
    take_edge(r, &b);
    u64 tsc = b.tsc - a.tsc;
    bool is_known = r->mask == TIME_IS_COUNTER;
    time_hz = is_known ? r->hz : mul_div(tsc, r->hz, (b.ref - a.ref) & r->mask);
    if (is_halved())
        time_hz &= ~1ull;
    apic_per_tick = ((a.apic - b.apic) << 32) / tsc;
}

__init_text void time_measure(void)
{
    const struct time_reference *r = time_measured_by = time_reference();
    time_init_cpu();
    /* The APIC's timer runs out after some seconds; if the host stops this core for longer it reads 0 both times. */
    for (unsigned tries = TRIES; !apic_per_tick; tries--) {
        if (!tries)
            panic("time: the %s, the TSC or the APIC timer stands still", r->name);
        calibrate(r);
    }
    have_deadline = APIC_HAS_DEADLINE && cpuid(1, 0).ecx & X86_FEATURE_TSC_DEADLINE_TIMER;
    printk("time: TSC %llu kHz by the %s, alarm by %s\n", time_hz / 1000, r->name,
           have_deadline ? "TSC deadline" : "APIC one-shot");
}

__init_text void time_init_cpu(void)
{
    apic_write(APIC_TIMER_INIT, 0);
    apic_write(APIC_TIMER_DIVIDE, 0xb); /* divide by 1 */
    apic_write(APIC_LVT_TIMER, VEC_TIMER | (have_deadline ? 2u << 17 : 0));
}

ticks_t time_from_ns(u64 ns) { return mul_div(ns, time_hz, 1000000000); }
u64 time_to_ns(ticks_t t) { return mul_div(t, 1000000000u >> is_halved(), time_hz >> is_halved()); }

/* The counter may run out before a far deadline; core_irq_timer() then finds nothing due and arms again. */
void time_alarm_at(ticks_t deadline)
{
    if (APIC_HAS_DEADLINE && have_deadline) {
        wrmsr(MSR_TSC_DEADLINE, deadline == TICKS_NEVER ? 0 : MAX(deadline, 1ull)); /* 0 would disarm it */
        return;
    }
    u32 count = 0;
    if (deadline != TICKS_NEVER) {
        u64 now = time_now(), left = deadline > now ? deadline - now : 0; /* a guest may choose any deadline */
        u32 near = (u32)left;
        if (left >> 32)
            near = ~0u;
        u64 periods = (u64)near * (u32)(apic_per_tick >> 8) >> 24; /* one multiplication of 32 bits */
        count = (periods >> 32 ? ~1u : MIN((u32)periods, ~1u)) + 1;
    }
    apic_write(APIC_TIMER_INIT, count);
}
