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
    u32 now = time_base(), due = core.window_due, timer;
    if (core.current && timers_next(core.current, &timer) && !time_after_eq(timer, due))
        due = timer;
    mtspr(SPR_PIT, (time_after_eq(now, due) ? 1 : due - now) + QUIRK_PIT_EXTRA);
}

void alarm_passed(void)
{
    u32 now = time_base();
    quirk_pit_acknowledge();
    struct vm *vm = core.current;
    if (vm)
        timers_run(vm, now);
    if (time_after_eq(now, core.window_due) || (vm && vm->part.order))
        sched_alarm(now);
    hal_alarm_update();
}
