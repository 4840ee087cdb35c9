/* SPDX-License-Identifier: MIT */
/*
 * time.c - the TSC's rate, and the one-shot alarm.
 *
 * The rate is measured against the ACPI PM timer (3.579545 MHz) or, without one, the
 * HPET or channel 2 of the PIT.  On a machine whose host preempts us a reading pair
 * can be torn apart, so each edge is the tightest of many tries.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/time.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/time.h>

#define PM_HZ        3579545ull
#define PIT_HZ       1193182ull
#define EDGE_TRIES   16
#define CALIBRATE_MS 20

u64 time_hz;
static bool have_deadline;
static u64 apic_per_tick; /* APIC timer counts per TSC tick, 32.32 fixed point */

struct reference {
    const char *name;
    u64 hz;
    u64 mask;
    u64 (*read)(void);
};

struct edge {
    u64 ref, tsc, apic;
};

static volatile u64 *hpet;

/* a * b / c with a 128-bit product; saturates where the quotient does not fit. */
static u64 mul_div(u64 a, u64 b, u64 c)
{
    u64 lo, hi, rest;
    __asm__("mulq %3" : "=a"(lo), "=d"(hi) : "0"(a), "rm"(b));
    if (hi >= c)
        return ~0ull;
    __asm__("divq %4" : "=a"(lo), "=d"(rest) : "0"(lo), "1"(hi), "rm"(c));
    return lo;
}

static u64 read_pm(void) { return inl(machine.pm_timer); }
static u64 read_hpet(void) { return hpet[0xf0 / 8]; }
/* Channel 2 counts down from 0xffff in mode 0; latched, low byte first. */
static u64 read_pit(void)
{
    outb(0x43, 0x80);
    u32 lo = inb(0x42);
    return 0xffff - (lo | (u32)inb(0x42) << 8);
}

static __init_text struct reference choose(void)
{
    if (machine.pm_timer)
        return (struct reference){ "PM timer", PM_HZ, machine.pm_timer_32 ? 0xffffffff : 0xffffff, read_pm };
    hpet = machine.hpet ? hal_map_device(machine.hpet, PAGE_SIZE) : NULL;
    if (hpet && hpet[0] >> 32) {
        hpet[0x10 / 8] |= 1;
        return (struct reference){ "HPET", 1000000000000000ull / (hpet[0] >> 32), ~0ull >> 32, read_hpet };
    }
    outb(0x61, (inb(0x61) & ~2) | 1);
    outb(0x43, 0xb0);
    outb(0x42, 0xff);
    outb(0x42, 0xff);
    return (struct reference){ "PIT", PIT_HZ, 0xffff, read_pit };
}

static __init_text struct edge take_edge(const struct reference *r)
{
    struct edge best = { 0, 0, 0 };
    u64 best_gap = ~0ull;
    for (unsigned i = 0; i < EDGE_TRIES; i++) {
        u64 t0 = time_now(), ref = r->read(), apic = apic_read(APIC_TIMER_COUNT), t1 = time_now();
        if (t1 - t0 < best_gap) {
            best_gap = t1 - t0;
            best = (struct edge){ ref, t0 + (t1 - t0) / 2, apic };
        }
    }
    return best;
}

__init_text void time_init(void)
{
    struct reference r = choose();
    u64 span = r.hz * CALIBRATE_MS / 1000;
    apic_write(APIC_TIMER_DIVIDE, 0xb);
    apic_write(APIC_LVT_TIMER, 1u << 16);
    apic_write(APIC_TIMER_INIT, ~0u);
    struct edge a = take_edge(&r);
    while (((r.read() - a.ref) & r.mask) < span)
        cpu_relax();
    struct edge b = take_edge(&r);
    u64 ref = (b.ref - a.ref) & r.mask, tsc = b.tsc - a.tsc;
    time_hz = mul_div(tsc, r.hz, ref);
    apic_per_tick = ((a.apic - b.apic) << 32) / tsc;
    if (!time_hz || !apic_per_tick)
        panic("time: the %s, the TSC or the APIC timer stands still", r.name);
    have_deadline = cpuid(1, 0).ecx & (1u << 24);
    printk("time: TSC %lu kHz by the %s, alarm by %s\n", time_hz / 1000, r.name,
           have_deadline ? "TSC deadline" : "APIC one-shot");
}

__init_text void time_init_cpu(void)
{
    apic_write(APIC_TIMER_INIT, 0);
    apic_write(APIC_TIMER_DIVIDE, 0xb); /* by 1 */
    apic_write(APIC_LVT_TIMER, VEC_TIMER | (have_deadline ? 2u << 17 : 0));
}

ticks_t time_from_ns(u64 ns) { return mul_div(ns, time_hz, 1000000000); }
u64 time_to_ns(ticks_t t) { return mul_div(t, 1000000000, time_hz); }

/* The counter may run out before a far deadline: core_irq_timer() then finds nothing due and arms again. */
void hal_timer_arm(ticks_t deadline)
{
    if (have_deadline) {
        wrmsr(MSR_TSC_DEADLINE, deadline == TICKS_NEVER ? 0 : deadline);
        return;
    }
    u64 count = 0;
    if (deadline != TICKS_NEVER) {
        s64 left = (s64)(deadline - time_now());
        count = left <= 0 ? 1 : left >> 40 ? 0xffffffff : ((u64)left * (apic_per_tick >> 8) >> 24) + 1;
        count = MIN(count, 0xfffffffful);
    }
    apic_write(APIC_TIMER_INIT, (u32)count);
}
