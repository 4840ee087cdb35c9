/* SPDX-License-Identifier: MIT */
/*
 * rand.c - rand(), random() and their seeds, in place of picolibc's: one sequence for the whole process (C17, 7.22.2),
 * where picolibc 1.7.9 has one in each thread. The numbers are picolibc's.
 */
#include <stdlib.h>

#include "lock.h"

#define MULTIPLIER 6364136223846793005ull /* Knuth, The Art of Computer Programming, volume 2, section 3.3.4 */

static uint32_t lock;
static uint64_t state = 1;

void srandom(unsigned seed)
{
    lock_take(&lock);
    state = seed;
    lock_drop(&lock);
}

long random(void)
{
    lock_take(&lock);
    uint64_t now = state = state * MULTIPLIER + 1;
    lock_drop(&lock);
    return (long)(now >> 32 & RAND_MAX);
}

void srand(unsigned seed) { srandom(seed); }
int rand(void) { return (int)random(); }
