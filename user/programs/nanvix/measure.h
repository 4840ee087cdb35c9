/* SPDX-License-Identifier: MIT */
/*
 * measure.h - what the benchmarks share: windows as in Nanvix' own (30 iterations after 10 that are not counted), and a
 * line `bench NAME LEAST MEDIAN SAMPLES` for each, in nanoseconds, which are instructions on a board that counts them.
 * A board's clock may tick more rarely (virt: every 100 ns), so short operations are measured many times in one window.
 */
#ifndef NANVIX_MEASURE_H
#define NANVIX_MEASURE_H

#include <nanvix/sys/noc.h>
#include <nanvix/sys/perf.h>

#include "check.h"

#define SKIP        10
#define NITERATIONS 30
#define BATCH       1000 /* calls in one window */
#define WORKERS     (THREAD_MAX - 1)

struct samples {
    uint64_t of[NITERATIONS];
};

static inline void window_start(void) { perf_start(0, PERF_CYCLES); }

/* End the window of iteration `i`; iterations are counted from -SKIP on. */
static inline void window_end(struct samples *s, int i)
{
    perf_stop(0);
    if (i >= 0)
        s->of[i] = perf_read(0);
}

/* Sort by insertion, because there are few. */
static inline void sort_samples(struct samples *s)
{
    for (int i = 1; i < NITERATIONS; i++)
        for (int k = i; k > 0 && s->of[k - 1] > s->of[k]; k--) {
            uint64_t larger = s->of[k - 1];
            s->of[k - 1] = s->of[k];
            s->of[k] = larger;
        }
}

/* Print the samples. Each is the time of `per` operations, and of `overhead`, which is subtracted. */
static inline void report(const char *name, struct samples *s, uint64_t overhead, unsigned long per)
{
    sort_samples(s);
    uprintf("bench %s %lu %lu %d", name, (unsigned long)(s->of[0] - overhead) / per,
            (unsigned long)(s->of[NITERATIONS / 2] - overhead) / per, NITERATIONS);
}

/* Returns the number in `text`, or `otherwise` if there is none. */
static inline int number_of(const char *text, int otherwise)
{
    int value = 0;
    if (!text || !WITHIN(*text, '0', '9' + 1))
        return otherwise;
    for (; WITHIN(*text, '0', '9' + 1); text++)
        value = value * 10 + (*text - '0');
    return value;
}

#endif
