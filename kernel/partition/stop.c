/* SPDX-License-Identifier: MIT */
/* stop.c - the end of a VM, and of the board's run when all VMs that have power over it have stopped. */
#include "vm.h"
#include <partition/shared.h>
#include <partition/pt.h>
#include <arch/cpu.h>
#include <wcet.h>

/* One after the other stops, perhaps at the same time on two cores: the fence makes at least the later one see both. */
static void end_board(void)
{
    mp_fence();
    for (u32 i = 0; i < pt()->n_vms; i++) {
        const struct vm *vm = vm_of(i);
        LOOP_BOUND(PT_VMS);
        if ((vm->flags & PT_POWER_BOARD) && READ_ONCE(vm->state) != VM_STOPPED)
            return;
    }
    shared.over = 1; /* the others see it at their next alarm */
    hal_board_reset();
}

void vm_stop(struct vm *vm)
{
    vm->state = VM_STOPPED;
    sched_stopped(vm);
    if (vm->flags & PT_POWER_BOARD)
        end_board();
}

/* ... which ends with the first event. */
__optional void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value) { vm_stop(vm); }
