/* SPDX-License-Identifier: MIT */
/*
 * health.c - lives of VMs: what follows an event is in the VM's table (pt_vm.action), and the board's run ends when all
 * VMs that have power over it have stopped.
 */
#include <core/sched_vm.h>
#include <core/shared.h>
#include <core/table.h>
#include <arch/cpu.h>
#include <wcet.h>

void vm_start(struct vm *vm)
{
    vm->runs++;
    vm->part.promised = false;
    vm->part.tunnels = 0;
    vm->part.prio = vm->conf->prio;
    vm->state = VM_READY;
    load_begin(vm);
    event_log(vm, EVENT_START, 0, 0, vm->runs);
    sched_stopped(vm, hal_now());
}

/* One after the other stops, perhaps at the same time on two cores: the fence makes at least the later one see both. */
static void end_board(void)
{
    mp_fence();
    for (u32 i = 0; i < pt()->n_vms; i++) {
        const struct vm *vm = vm_of(i);
        LOOP_BOUND(PT_VMS);
        if ((vm->conf->flags & PT_POWER_BOARD) && READ_ONCE(vm->state) != VM_STOPPED)
            return;
    }
    shared.over = 1; /* the others see it at their next alarm */
    hal_board_reset();
}

void vm_stop(struct vm *vm)
{
    vm->state = VM_STOPPED;
    sched_stopped(vm, hal_now());
    if (vm->conf->flags & PT_POWER_BOARD)
        end_board();
}

void vm_event(struct vm *vm, enum pt_event event, u32 code, u32 value)
{
    static const char *const names[PT_EVENTS] = { "fault", "reset", "overrun" };
    u32 action = vm->conf->action[event];

    if (action == PT_RESTART && !vm->part.restarts_left)
        action = PT_STOP;
    event_log(vm, event, action, code, value);
    hal_report(names[event], code, value);
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
