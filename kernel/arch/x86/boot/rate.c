/* SPDX-License-Identifier: MIT */
/*
 * rate.c - measures the counter's rate once more, over ten seconds, when the first core idles.
 *
 * time.c measures it over 20 ms, by readings that are up to 0.3 us apart: some 6 ppm, half a second a day. That rate
 * stays, because all deadlines and the monotonic clock count by it. The wall clock alone goes by the better one, from
 * the moment on when it is known: it neither jumps nor goes back.
 *
 * A reference of 16 or 24 bits comes round within ten seconds. The first rate says how often.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/time.h>
#include <core/cpu.h>
#include <hal/cpu.h>

#define NS         1000000000u
#define LENGTH_NS  (10ull * NS)
#define LONGEST_NS (100ull * NS) /* then another 100 ppm are a fifth of the PIT's 55 ms */
#define MOST_PPB   100000u       /* a larger difference is no clock's */
#define TRIES      16
#define NEAR_NS    10000        /* a larger gap between the two clocks is no reading: 1 ppm */
#define AFTER_BOOT (1ull << 32) /* ticks */

struct reading {
    u64 ref;
    ticks_t at; /* 0: there was none */
};

static struct reading first;
static ticks_t due = AFTER_BOOT;
static s32 fast; /* by how much too fast the first rate is, in ppb; 0: not known */
static u64 since;

/* Read both clocks, as near to each other as interrupts and the machine's host let one of the tries be. Its `at` is 0
 * if they let none. */
static struct reading take(const struct time_reference *r)
{
    struct reading best = { 0 };
    ticks_t nearest = time_from_ns(NEAR_NS);
    for (unsigned i = 0; i < TRIES; i++) {
        ticks_t at = time_now();
        u64 ref = r->read();
        ticks_t gap = time_now() - at;
        if (gap < nearest) {
            nearest = gap;
            best = (struct reading){ ref, at + gap / 2 };
        }
    }
    return best;
}

/* Set *ns to the time between two readings by the first rate, and *real to what the reference says. */
static void compare(const struct time_reference *r, const struct reading *now, u64 *ns, u64 *real)
{
    *ns = time_to_ns(now->at - first.at);
    u64 expected = mul_div(*ns, r->hz, NS), more = (now->ref - first.ref - expected) & r->mask;
    if (more > r->mask / 2)
        more -= r->mask + 1;
    *real = mul_div(expected + more, NS, r->hz);
}

/* Returns whether the rate was found. */
static bool measure(const struct time_reference *r, const struct reading *now)
{
    u64 ns, real;
    compare(r, now, &ns, &real);
    u64 off = ns > real ? ns - real : real - ns, ppb = off * NS / real;
    if (ppb > MOST_PPB)
        return false;
    since = time_to_ns(now->at);
    __atomic_store_n(&fast, ns > real ? (s32)ppb : -(s32)ppb, __ATOMIC_RELEASE);
    return true;
}

u64 time_corrected(u64 ns)
{
    s32 ppb = __atomic_load_n(&fast, __ATOMIC_ACQUIRE);
    if (!ppb || ns <= since)
        return ns;
    u64 off = mul_div(ns - since, (u32)(ppb < 0 ? -ppb : ppb), NS);
    return ppb > 0 ? ns - off : ns + off;
}

/* Interrupts come meanwhile. */
static __cold __noinline void look(void)
{
    irq_enable();
    struct reading now = take(time_measured_by);
    irq_disable();
    bool in_time = first.at && now.at - first.at <= time_from_ns(LONGEST_NS);
    if (now.at && in_time && measure(time_measured_by, &now)) {
        due = TICKS_NEVER;
        return;
    }
    if (now.at)
        first = now;
    due = time_after(LENGTH_NS);
}

/* After a look the caller looks for a thread again. STI takes effect after the next instruction, so no interrupt comes
 * in between. */
void hal_idle(void)
{
    if (unlikely(!this_cpu_here()->id && time_now() >= due))
        look();
    else
        __asm__ volatile("sti; hlt; cli" ::: "memory");
}
