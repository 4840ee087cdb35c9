/* SPDX-License-Identifier: MIT */
/*
 * bench.h - samples and their report, for programs that measure a Linux guest.
 * A tick is a TSC tick: under QEMU's icount one instruction.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SAMPLES 16384

static inline uint64_t rdtsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Print `bench NAME MIN MEDIAN N`. Each sample is the time of `per` operations and of `overhead`, which is subtracted.
 */
static inline void bench_report(const char *name, uint64_t *sample, unsigned n, uint64_t overhead, unsigned per)
{
    if (n == 0) {
        printf("bench %s - - 0\n", name);
        return;
    }
    qsort(sample, n, sizeof(*sample), by_size);
    uint64_t low = sample[0] > overhead ? sample[0] - overhead : 0;
    uint64_t mid = sample[n / 2] > overhead ? sample[n / 2] - overhead : 0;
    printf("bench %s %lu %lu %u\n", name, low / per, mid / per, n);
    fflush(stdout);
}

#endif
