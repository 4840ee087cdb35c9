/* SPDX-License-Identifier: MIT */
/*
 * pit_channel.c - computes a channel's count, output and next edge at a PIT time. Pure arithmetic on the load time and
 * the count; pit.c has the registers and the interrupt.
 */
#include <bcd.h>
#include "pit_channel.h"

static bool periodic(const struct pit_channel *c) { return c->mode & 2; }

u64 pit_elapsed(const struct pit_channel *c, u64 now) { return c->running ? now - c->since : c->since; }

/* Returns the elapsed counts at which the output rises within a period. */
static u32 rise(const struct pit_channel *c) { return c->count + (c->mode >> 2); }

/* Returns the elapsed counts at which the output falls. */
static u32 fall(const struct pit_channel *c)
{
    switch (c->mode) {
    case 0:
    case 1: return 0;
    case 2: return c->count - 1;
    case 3: return (c->count + 1) / 2;
    default: return c->count;
    }
}

bool pit_output(const struct pit_channel *c, u64 now)
{
    u64 e = pit_elapsed(c, now);
    if (periodic(c))
        e %= c->count;
    return (c->mode && !c->running) || e < fall(c) || e >= rise(c);
}

/* Modes without a period count on below zero, as the part does. */
u16 pit_counter(const struct pit_channel *c, u64 now)
{
    u64 e = pit_elapsed(c, now);
    u32 range = pit_range(c), left = c->count + range - (periodic(c) ? (e << (c->mode & 1)) % c->count : e % range);
    return c->control & PIT_BCD ? to_bcd(left) : left;
}

u64 pit_next_edge(const struct pit_channel *c, u64 now)
{
    if (!c->running) /* modes 1 and 5 wait for an edge of a gate that is tied high */
        return PIT_NEVER;
    u64 e = pit_elapsed(c, now);
    u32 period = MAX(c->count, PIT_MIN_PERIOD);
    if (periodic(c))
        return now + period - e % period;
    return e < rise(c) ? c->since + rise(c) : PIT_NEVER;
}
