/* SPDX-License-Identifier: MIT */
/*
 * pit_channel.c - what one channel of the 8254 shows at a given PIT time: its count,
 * its output, the next edge of that.  Pure arithmetic on the load time and the count;
 * pit.c has the registers and the interrupt.
 */
#include "pit_channel.h"

#define MIN_PERIOD (PIT_HZ / 10000) /* 100 us */

u64 pit_elapsed(const struct pit_channel *c, u64 now) { return c->running ? now - c->start : c->held; }

bool pit_output(const struct pit_channel *c, u64 now)
{
    u64 e = pit_elapsed(c, now);
    if (!c->count)
        return c->mode != 0;
    switch (c->mode) {
    case 0: return e >= c->count;
    case 1: /* low from the trigger to the end of the count */ return !c->running || e >= c->count;
    case 2: return !c->running || e % c->count != c->count - 1;
    case 3: return !c->running || e % c->count < (c->count + 1) / 2;
    default: return !c->running || e != c->count;
    }
}

u16 pit_counter(const struct pit_channel *c, u64 now)
{
    u64 e = pit_elapsed(c, now);
    if (!c->count)
        return 0;
    u64 left = c->mode == 2   ? c->count - e % c->count
               : c->mode == 3 ? c->count - e * 2 % c->count
                              : c->count - e; /* goes on below zero, as the part does */
    if (!c->bcd)
        return left;
    u16 bcd = 0;
    left = (left % 10000 + 10000) % 10000;
    for (int shift = 0; shift < 16; shift += 4, left /= 10)
        bcd |= left % 10 << shift;
    return bcd;
}

u64 pit_next_edge(const struct pit_channel *c, u64 now)
{
    u64 e = pit_elapsed(c, now), period = MAX(c->count, MIN_PERIOD);
    if (!c->count || !c->running)
        return PIT_NEVER;
    switch (c->mode) {
    case 0: return e < c->count ? c->start + c->count : PIT_NEVER;
    case 2:
    case 3: return c->start + (e / period + 1) * period;
    case 4: return e <= c->count ? c->start + c->count + 1 : PIT_NEVER;
    default: return PIT_NEVER; /* modes 1 and 5 wait for a gate that is tied high */
    }
}
