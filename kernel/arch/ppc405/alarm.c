/* SPDX-License-Identifier: MIT */
/*
 * alarm.c - time. The hardware's PIT is the core's one-shot alarm, set to what comes first: core.window_due or a timer
 * of the guest that is current. Times are the low word of the time base and are compared by difference.
 */
#include <arch/cpu.h>
#include <arch/upcalls.h>
#include <board/console.h>
#include <partition/partition.h>

__optional void console_alarm_passed(void) {} /* without CONFIG_CONSOLE */

void hal_alarm_update(void)
{
    u32 now = time_base(), left = core.window_due - now;
    if ((s32)left <= 0)
        left = 1;
    if (core.current && core.current->timers.tcr)
        left = MIN(left, MAX(guest_timers_left(core.current, now), 1u));
    mtspr(SPR_PIT, left + QUIRK_PIT_EXTRA);
}

/*
 * None of its timers asks for anything, and they were run less than TIMERS_FAR ago: what they count is made up for when
 * it looks (vm/ppc405/timers.c).
 */
static bool timers_rest(const struct vm *vm, u32 now) { return !vm->timers.tcr && now - vm->timers.seen < TIMERS_FAR; }

/*
 * The current guest's timers first: an alarm that the console's line asked for (console_poll) may have been theirs, and
 * to arm another one for them would never let the guest run on a core where that one is due at once.
 */
void alarm_passed(void)
{
    u32 now = time_base();
    quirk_pit_acknowledge();
    struct vm *vm = core.current;
    if (vm && !timers_rest(vm, now))
        guest_timers_run(vm, now);
    if (time_after_eq(now, core.window_due) || (vm && vm->part.order))
        partition_alarm(now);
    else
        hal_alarm_update();
    console_alarm_passed();
}
