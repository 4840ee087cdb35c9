/* SPDX-License-Identifier: MIT */
/*
 * deviates.h - NAS EP's pairs of normal deviates, in blocks whose sums are added in their order. Fewer pairs than its
 * smallest class.
 */
#ifndef AMALGAM_NUMERIC_DEVIATES_H
#define AMALGAM_NUMERIC_DEVIATES_H

#include <stdint.h>
#include <stdio.h>

#define BLOCKS 192
#define PAIRS  320 /* of a block */
#define RINGS  10

struct block {
    double x, y;
};

#define MASK ((1ull << 46) - 1)

static inline uint64_t power_of_5_13(uint32_t n)
{
    uint64_t result = 1;
    for (uint64_t factor = 1220703125; n; n /= 2, factor = factor * factor & MASK)
        if (n % 2)
            result = result * factor & MASK;
    return result;
}

static inline double uniform(uint64_t *seed)
{
    *seed = *seed * 1220703125 & MASK;
    return (double)(int64_t)*seed * 0x1p-46;
}

static inline double root_of_log(double t)
{
    double log;
    __asm__("fyl2x" : "=t"(log) : "0"(t), "u"(0.69314718055994530942) : "st(1)");
    __asm__("fsqrt" : "=t"(log) : "0"(-2 * log / t));
    return log;
}

/* Add block `number`: its sums to *b, and how many of its pairs lie in each ring to `count`. */
static inline void deviates(struct block *b, uint32_t count[RINGS], int number)
{
    uint64_t seed = 271828183 * power_of_5_13(2 * PAIRS * (uint32_t)number) & MASK;
    for (int i = 0; i < PAIRS; i++) {
        double x = 2 * uniform(&seed) - 1, y = 2 * uniform(&seed) - 1, t = x * x + y * y;
        if (t > 1)
            continue;
        double factor = root_of_log(t), ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
        count[(int)((ax > ay ? ax : ay) * factor)]++;
        b->x += x * factor;
        b->y += y * factor;
    }
}

/* Add blocks in their order. */
static inline void add_blocks(struct block *sum, const struct block *blocks, int n)
{
    for (int b = 0; b < n; b++) {
        sum->x += blocks[b].x;
        sum->y += blocks[b].y;
    }
}

static inline void print_deviates(const struct block *sum, const uint32_t count[RINGS])
{
    printf("ep: sums %.12e %.12e, counts %u %u %u %u\n", sum->x, sum->y, (unsigned)count[0], (unsigned)count[1],
           (unsigned)count[2], (unsigned)count[3]);
}

#endif
