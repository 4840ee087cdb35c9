/* SPDX-License-Identifier: MIT */
/*
 * rand.c - rand(), random(), their seeds and states, in place of picolibc's: one sequence for the whole process
 * (C17, 7.22.2), where picolibc 1.7.9 has one in each thread. The numbers are picolibc's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

#define MULTIPLIER 6364136223846793005ull /* Knuth, The Art of Computer Programming, volume 2, section 3.3.4 */

#define SIZE sizeof(uint64_t) /* bytes of a state, at any address */

static uint32_t lock;
static uint64_t first = 1;
static char *state = (char *)&first;

static void set(uint64_t to) { memcpy(state, &to, SIZE); }

void srandom(unsigned seed)
{
    lock_take(&lock);
    set(seed);
    lock_drop(&lock);
}

long random(void)
{
    uint64_t now;
    lock_take(&lock);
    memcpy(&now, state, SIZE);
    now = now * MULTIPLIER + 1;
    set(now);
    lock_drop(&lock);
    return (long)(now >> 32 & RAND_MAX);
}

/* Go on with another state. Returns the one before. */
static char *change(char *to, const unsigned *seed)
{
    lock_take(&lock);
    char *before = state;
    state = to;
    if (seed)
        set(*seed);
    lock_drop(&lock);
    return before;
}

char *initstate(unsigned seed, char *to, size_t n)
{
    if (n >= SIZE)
        return change(to, &seed);
    errno = EINVAL;
    return NULL;
}

char *setstate(char *to) { return change(to, NULL); }

void srand(unsigned seed) { srandom(seed); }
int rand(void) { return (int)random(); }
