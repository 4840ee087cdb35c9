/* SPDX-License-Identifier: MIT */
/*
 * alarm.c - the core's one-shot alarm: the hardware's PIT.
 *
 * It is set to the earliest of core.window_due and the timers of the current guest. Times are the low word of the time
 * base and are compared by their difference.
 */
#include <arch/cpu.h>
#include <arch/upcalls.h>
#include <board/console.h>
#include <partition/partition.h>

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
 * The current guest's timers are handled first. The console's line may have asked for this alarm (console_poll), and a
 * guest's timer may be due at the same time. If we only set another alarm for it, a core where that is due at once
 * would never run the guest.
 */
void alarm_passed(void)
{
    u32 now = time_base();
    quirk_pit_acknowledge();
    struct vm *vm = core.current;
    /* Timers that can raise no interrupt wait until the guest reads them (vm/ppc405/timers.c), or for TIMERS_FAR. */
    if (vm && (vm->timers.tcr || now - vm->timers.seen >= TIMERS_FAR))
        guest_timers_run(vm, now);
    if (time_after_eq(now, core.window_due) || (core.current && order_waits(core.current)))
        partition_alarm(now);
    else
        hal_alarm_update();
    console_alarm_passed();
}
