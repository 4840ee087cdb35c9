/* SPDX-License-Identifier: MIT */
/* health.c - takes the action that a VM's table has for an event (pt_vm.action), and follows monitors' orders.
 * CONFIG_HEALTH. */
#include "vm.h"
#include <partition/shared.h>
#include <arch/regs.h>

void vm_start(struct vm *vm)
{
    vm->runs = count_on(vm->runs);
    vm->part.promised = false;
    vm->part.tunnels = 0;
    vm->part.prio = vm->conf->prio;
    vm->state = VM_READY;
    load_begin(vm);
    event_log(vm, EVENT_START, 0, 0, vm->runs);
    sched_stopped(vm);
}

u32 plan_wanted(void) { return shared.plan; }
void vm_holds(struct vm *vm) { vm->core = core.id; }
void vm_used(struct vm *vm, u32 ticks) { vm->used += ticks; }

void window_begun(u32 due)
{
    struct core_times *times = &core_times[core.id];
    times->windows++;
    times->late = hal_now() - due;
    if (times->late > times->late_max)
        times->late_max = times->late;
}

/* Follow a monitor's order, which ends the run, or else the watchdog. */
void partition_order(struct vm *vm)
{
    u32 order = READ_ONCE(vm->part.order), taken = vm->part.taken;

    vm->part.taken = order;
    if (order == (taken & ~ORDER_RESET)) {
        partition_event(vm, PT_ON_RESET, VEC_WDT, vm->timers.tcr);
    } else if (order & ORDER_START) {
        vm_start(vm);
    } else if (vm->state != VM_STOPPED) {
        event_log(vm, EVENT_ORDER, PT_STOP, 0, 0);
        vm_stop(vm);
    }
}

bool vm_to_start(const struct vm *vm) { return order_waits(vm) && (vm->part.order & ORDER_START); }

void vm_overrun(struct vm *vm, u32 due)
{
    if (unlikely(vm->part.promised))
        partition_event(vm, PT_ON_OVERRUN, vm->ctx.pc, due);
}

void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value)
{
    static const char *const names[PT_EVENTS] = { "fault", "reset", "overrun" };
    u32 action = vm->conf->action[event], windows = core_times[core.id].windows + 1;

    if (action == PT_RESTART && !vm->part.restarts_left)
        action = PT_STOP;
    event_log(vm, event, action, code, value);
    if (vm->part.reported != windows) { /* one line in a window; the log has all events */
        vm->part.reported = windows;
        hal_report_event(vm->id, names[event], code, value);
    }
    if (action == PT_IGNORE)
        return;
    if (action == PT_RESTART) {
        if (vm->part.restarts_left != 255)
            vm->part.restarts_left--;
        vm_start(vm);
        return;
    }
    if (action == PT_PLAN)
        shared.plan = vm->conf->plan;
    vm_stop(vm);
}
