/* SPDX-License-Identifier: MIT */
/* clock.c - the wall clock: the Goldfish RTC, which counts nanoseconds, is read once, then the counter is used. */
#include <arch/boot.h>
#include <core/init.h>
#include <hal/memory.h>
#include <hal/time.h>

static u64 epoch_ns; /* the time when the counter was 0 */

/* Reading the low half latches the high half. */
static __init_text void clock_setup(void)
{
    volatile u32 *rtc = machine.rtc ? hal_map_device(machine.rtc, PAGE_SIZE) : NULL;
    if (!rtc)
        return;
    u64 low = rtc[0];
    epoch_ns = ((u64)rtc[1] << 32 | low) - time_to_ns(time_now());
}
INIT_CALL(clock_setup);

u64 hal_wall_clock_at(u64 ns) { return epoch_ns + ns; }
