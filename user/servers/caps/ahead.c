/* SPDX-License-Identifier: MIT */
/* ahead.c - see ahead.h. */
#include "ahead.h"

#include "../random.h"

static uint64_t numbers[AHEAD];
static unsigned left;

uint64_t ahead_draw(void)
{
    if (!left)
        return servers_random();
    uint64_t number = numbers[--left];
    numbers[left] = 0; /* it is its user's alone */
    return number;
}

void ahead_fill(void)
{
    if (left < AHEAD / 2 && !getentropy(numbers, sizeof(numbers)))
        left = AHEAD;
}
