/* SPDX-License-Identifier: MIT */
/*
 * alarm.c - time. The hardware's PIT is the core's one-shot alarm, set to what comes first: core.window_due or a timer
 * of the guest that is current. Times are the low word of the time base and are compared by difference.
 */
#include <arch/cpu.h>
#include <arch/devices.h>
#include <arch/upcalls.h>
#include <core/partition.h>

void hal_alarm_update(void)
{
    u32 now = time_base(), left = core.window_due - now;
    if ((s32)left <= 0)
        left = 1;
    if (core.current && core.current->timers.tcr)
        left = MIN(left, MAX(timers_left(core.current, now), 1u));
    mtspr(SPR_PIT, left + QUIRK_PIT_EXTRA);
}

/* What became due for a guest that has to go is there when it comes back: the alarm is at once then. */
void alarm_passed(void)
{
    u32 now = time_base();
    quirk_pit_acknowledge();
    struct vm *vm = core.current;
    bool due = time_after_eq(now, core.window_due);
    if (!due && vm) {
        timers_run(vm, now);
        due = vm->part.order;
    }
    if (due)
        sched_alarm(now);
    else
        hal_alarm_update();
    console_alarm_passed();
}
