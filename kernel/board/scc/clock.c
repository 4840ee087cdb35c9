/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the rates of the counter and of the local APIC's timer, which all cores share. Core 0 measures them
 * (time_measure()) before it starts the others, which use its figures. 48 cores
 * cannot read one PIT at a time, and on a busy host would not come to their second reading in time.
 *
 * Core 0's reference is the PIT, or the counter itself if the host knows its rate (it counts instructions).
 */
#include "clock.h"

#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/time.h>
#include <board/scc.h>
#include <core/log.h>
#include <hal/time.h>

#define SPIN 20000 /* ticks */

/* Channel 2 counts down from 0xffff in mode 0; latched, low byte first. */
static u64 read_pit(void)
{
    outb(0x43, 0x80);
    u32 lo = inb(0x42);
    return 0xffff - (lo | (u32)inb(0x42) << 8);
}

/*
 * Read the counter after a spin. An emulator that counts gives each of 48 cores a turn at each PAUSE of time.c's loop,
 * which without the spin takes seconds. All readings are equally late, which cancels out.
 */
static u64 read_counter(void)
{
    u64 end = time_now() + SPIN;
    while (time_now() < end)
        barrier();
    return time_now();
}

static const struct time_reference pit = { "PIT", 1193182, 0xffff, read_pit };
static struct time_reference counter = { "board's frequency", 0, TIME_IS_COUNTER, read_counter };

__init_text const struct time_reference *time_reference(void)
{
    counter.hz = scc_khz * 1000ull;
    if (counter.hz)
        return &counter;
    outb(0x61, (inb(0x61) & ~2) | 1);
    outb(0x43, 0xb0);
    outb(0x42, 0xff);
    outb(0x42, 0xff);
    return &pit;
}

__init_text void clock_init(void)
{
    struct scc_shared *s = scc_shared();
    if (scc_core == 0) {
        time_measure();
        s->hz = time_hz;
        s->apic_per_tick = apic_per_tick;
        return;
    }
    time_hz = s->hz;
    apic_per_tick = s->apic_per_tick;
    if (!time_hz || !apic_per_tick)
        panic("time: core 0 has not measured the clocks");
}

/* The board has no wall clock. */
u64 hal_wall_clock_at(u64 ns) { return 0; }
