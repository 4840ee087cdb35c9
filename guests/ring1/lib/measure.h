/* SPDX-License-Identifier: MIT */
/*
 * measure.h - ticks of the time stamp counter, which are instructions under icount, and a line of what was measured:
 * `bench NAME LEAST MIDDLE SAMPLES`. Who includes this says SAMPLES, how many there are at most.
 */
#ifndef RING1_MEASURE_H
#define RING1_MEASURE_H

#include "ring1.h"

static uint32_t sample[SAMPLES], overhead; /* of a sample, which is not said */

static inline uint32_t now(void)
{
    uint32_t low;
    __asm__ volatile("rdtsc" : "=a"(low) : : "edx", "memory");
    return low;
}

/* Say the first `n` samples. */
static void say(const char *name, unsigned n)
{
    for (unsigned i = 1; i < n; i++) /* by size */
        for (unsigned k = i; k && sample[k - 1] > sample[k]; k--) {
            uint32_t other = sample[k];
            sample[k] = sample[k - 1];
            sample[k - 1] = other;
        }
    print("bench %s %u %u %u\n", name, sample[0] - overhead, sample[n / 2] - overhead, n);
}

#endif
