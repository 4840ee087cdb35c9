/* SPDX-License-Identifier: MIT */
/*
 * rt - the real-time partition. It wakes up periodically and prints how late.
 *
 *   mode=timer      arms the APIC timer for each period, halts, and measures how late it wakes up (default)
 *   mode=hourglass  reads the TSC all the time; a step of more than gap_us= means that another guest had the CPU.
 *                   Reports these gaps and the time between them, for windows shorter than the period
 *   mode=window     as hourglass, but measures how late each of its windows began in the major frame, which it gets by
 *                   the hypercall window_info: the jitter that an ARINC 653 partition sees
 *   period_us=1000 count=0 (0: for ever) report=1000 (samples a line) histogram=0|1
 *
 * The figures in a line are those of the samples since the last line; the final line ("rt: total") has those of all.
 */
#include <guest.h>
#include <amalgam_calls.h>

#define VECTOR      0x40
#define MAX_SAMPLES 8192
#define BUCKETS     128 /* four to each power of two of nanoseconds */

static uint64_t sample[MAX_SAMPLES], n_samples;
static uint64_t total_n, total_min = ~0ull, total_max;
static uint64_t bucket[BUCKETS];
static volatile uint64_t woken;

static void on_timer(struct trap_frame *f)
{
    (void)f;
    woken = rdtsc();
    apic_eoi();
}

static void take(uint64_t ticks)
{
    uint64_t ns = tsc_to_ns(ticks);
    sample[n_samples++] = ns;
    total_n++;
    total_min = ns < total_min ? ns : total_min;
    total_max = ns > total_max ? ns : total_max;
    uint64_t at = ns < 4 ? 4 : ns; /* the first bucket is for all values below 5 */
    unsigned power = 63 - __builtin_clzll(at), b = 4 * power + (at >> (power - 2) & 3);
    bucket[b < BUCKETS ? b : BUCKETS - 1]++;
}

static void report(const char *what)
{
    if (!n_samples)
        return;
    sort_u64(sample, n_samples);
    print("rt: %s n=%lu min=%lu median=%lu p999=%lu max=%lu ns\n", what, n_samples, sample[0], sample[n_samples / 2],
          sample[(n_samples * 999) / 1000], sample[n_samples - 1]);
    n_samples = 0;
}

static void timer(uint64_t period, uint64_t count, uint64_t lot)
{
    trap_install(VECTOR, on_timer);
    apic_timer_setup(VECTOR);
    uint64_t due = rdtsc() + period, missed = 0;
    for (uint64_t i = 0; !count || i < count; i++) {
        woken = 0;
        apic_timer_at(due);
        while (!woken)
            wait_irq();
        take(woken > due ? woken - due : 0);
        if (n_samples == lot) {
            report("late");
            if (missed)
                print("rt: missed=%lu periods\n", missed);
            missed = 0;
        }
        for (due += period; due <= rdtsc(); due += period) /* skip periods that have passed */
            missed++;
    }
}

/* Gaps (another guest had the CPU) and runs (this one had it) are reported in separate lines. */
static void hourglass(uint64_t threshold, uint64_t count, uint64_t lot)
{
    static uint64_t run[MAX_SAMPLES];
    uint64_t last = rdtsc(), began = last;
    for (uint64_t i = 0; !count || i < count;) {
        uint64_t now = rdtsc();
        if (now - last <= threshold) {
            last = now;
            continue;
        }
        run[n_samples] = tsc_to_ns(last - began);
        take(now - last);
        i++;
        if (n_samples == lot) {
            uint64_t n = n_samples;
            report("gap");
            sort_u64(run, n);
            print("rt: run n=%lu min=%lu median=%lu max=%lu ns\n", n, run[0], run[n / 2], run[n - 1]);
        }
        began = last = rdtsc();
    }
}

/*
 * A gap in the TSC ends where a window begins; the kernel tells when the window was due. A gap shorter than half of the
 * others' time in the frame does not end at a window.
 */
static void window(uint64_t count, uint64_t lot)
{
    uint64_t frame = us_to_tsc(amalgam_window_info(AMALGAM_WINDOW_INFO_FRAME_US));
    uint64_t own = us_to_tsc(amalgam_window_info(AMALGAM_WINDOW_INFO_WINDOW_US));
    if (amalgam_window_info(AMALGAM_WINDOW_INFO_WINDOWS) != 1 || own >= frame) {
        print("rt: mode=window wants exactly one window in the frame of its core\n");
        return;
    }
    uint64_t edge = (frame - own) / 2, missed = 0, last = rdtsc(), before = 0;
    for (uint64_t i = 0; !count || i < count;) {
        uint64_t now = rdtsc(), gap = now - last;
        last = now;
        if (gap <= edge)
            continue;
        uint64_t due = amalgam_window_info(AMALGAM_WINDOW_INFO_BEGAN_TSC);
        missed += before ? (due - before + frame / 2) / frame - 1 : 0;
        before = due;
        take(now > due ? now - due : 0);
        i++;
        if (n_samples == lot) {
            report("window late");
            if (missed)
                print("rt: missed=%lu windows\n", missed);
            missed = 0;
        }
        last = rdtsc();
    }
}

void guest_main(void)
{
    char mode[16];
    arg_text("mode", "timer", mode, sizeof(mode));
    uint64_t period = arg_number("period_us", 1000), count = arg_number("count", 0), lot = arg_number("report", 1000);
    if (lot < 1 || lot > MAX_SAMPLES)
        lot = 1000;
    apic_enable();
    print("rt: mode=%s period=%lu us count=%lu tsc=%lu kHz %s\n", mode, period, count, tsc_khz(),
          apic_is_x2() ? "x2apic" : "xapic");
    if (text_equal(mode, "hourglass"))
        hourglass(us_to_tsc(arg_number("gap_us", 5)), count, lot);
    else if (text_equal(mode, "window"))
        window(count, lot);
    else
        timer(us_to_tsc(period), count, lot);
    report("rest");
    print("rt: total n=%lu min=%lu max=%lu ns\n", total_n, total_min, total_max);
    for (unsigned b = 0; arg_number("histogram", 0) && b < BUCKETS; b++)
        if (bucket[b])
            print("rt: histogram %lu %lu\n", (4ul + b % 4) << (b / 4 - 2), bucket[b]);
}
