/* SPDX-License-Identifier: MIT */
/*
 * rand48.c - drand48() and its kind (POSIX), in place of picolibc's: one sequence for the whole process, where picolibc
 * 1.7.9 has one in each thread and extends the sign of half of its words.
 */
#include <stdlib.h>
#include <string.h>

#include "lock.h"

#define MULTIPLIER 0x5deece66dull
#define ADDEND     0xbu
#define LOW        0x330eu /* of a seed's 48 bits */
#define MASK       ((1ull << 48) - 1)

static uint32_t lock;
static uint64_t state, multiplier = MULTIPLIER;
static unsigned addend = ADDEND;
static unsigned short before[3];

static uint64_t join(const unsigned short words[3])
{
    return words[0] | (uint64_t)words[1] << 16 | (uint64_t)words[2] << 32;
}

static void split(uint64_t value, unsigned short words[3])
{
    for (unsigned i = 0; i < 3; i++)
        words[i] = (unsigned short)(value >> 16 * i);
}

/* Take a step in the caller's sequence, or in the process's if there is none. Returns 48 bits. */
static uint64_t step(unsigned short own[3])
{
    lock_take(&lock);
    uint64_t next = ((own ? join(own) : state) * multiplier + addend) & MASK;
    if (own)
        split(next, own);
    else
        state = next;
    lock_drop(&lock);
    return next;
}

static double fraction(uint64_t bits) { return (double)bits / (double)(MASK + 1); }

double erand48(unsigned short own[3]) { return fraction(step(own)); }
double drand48(void) { return fraction(step(NULL)); }
long nrand48(unsigned short own[3]) { return (long)(step(own) >> 17); }
long lrand48(void) { return (long)(step(NULL) >> 17); }
long jrand48(unsigned short own[3]) { return (int32_t)(step(own) >> 16); }
long mrand48(void) { return (int32_t)(step(NULL) >> 16); }

/* Set the sequence; `old` gets what it was. */
static void set(uint64_t seed, uint64_t factor, unsigned summand, unsigned short old[3])
{
    lock_take(&lock);
    split(state, old);
    state = seed;
    multiplier = factor;
    addend = summand;
    lock_drop(&lock);
}

unsigned short *seed48(unsigned short seed[3])
{
    set(join(seed), MULTIPLIER, ADDEND, before);
    return before;
}

void srand48(long seed)
{
    unsigned short unused[3];
    set((uint64_t)(uint32_t)seed << 16 | LOW, MULTIPLIER, ADDEND, unused);
}

void lcong48(unsigned short p[7])
{
    unsigned short unused[3];
    set(join(p), join(p + 3), p[6], unused);
}
