/* SPDX-License-Identifier: MIT */
/* clock.c - `clock`: the board's clock chip is read: rare, so no function of the object, but trapped beneath. */
#include <core/log.h>
#include <core/monitor.h>
#include <hal/time.h>

static int cmd_clock(const char *arg)
{
    printk("clock: %llu s since 1970\n", (hal_wall_clock_ns() / 1000000000));
    return 0;
}

MONITOR_COMMAND(clock, "clock", "", "what time it is", .run = cmd_clock);
