/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the clock with a known rate for time.c: the counter itself, where the host knows its rate (it counts
 * instructions then) or core 0 has measured it for the others; else channel 2 of the PIT, on core 0.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/time.h>
#include <board/scc.h>
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
 * Spins between two readings, because an emulator that counts gives each of 48 cores a turn at every PAUSE of time.c's
 * loop: without the spin the others' turns take seconds. All readings are equally late, which cancels out.
 */
static u64 read_counter(void)
{
    u64 end = time_now() + SPIN;
    while (time_now() < end)
        barrier();
    return time_now();
}

static const struct time_reference pit = { "PIT", 1193182, 0xffff, read_pit };
static struct time_reference counter = { "board's frequency", 0, ~0ull, read_counter };

__init_text const struct time_reference *time_reference(void)
{
    counter.hz = scc_core ? scc_shared()->hz : scc_khz * 1000ull;
    if (counter.hz)
        return &counter;
    outb(0x61, (inb(0x61) & ~2) | 1);
    outb(0x43, 0xb0);
    outb(0x42, 0xff);
    outb(0x42, 0xff);
    return &pit;
}
