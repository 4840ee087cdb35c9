/* SPDX-License-Identifier: MIT */
/* stop.c - stops a VM, and ends the board's run when all VMs with PT_POWER_BOARD have stopped. */
#include "vm.h"
#include <partition/shared.h>
#include <partition/pt.h>
#include <arch/cpu.h>
#include <wcet.h>

/* Two cores may stop their last VM at the same time. The fence orders each core's own store before its reads, so at
 * least one of them sees both VMs stopped. */
static void end_board(void)
{
    mp_fence();
    for (u32 i = 0; i < pt()->n_vms; i++) {
        const struct vm *vm = vm_of(i);
        LOOP_BOUND(PT_VMS);
        if ((vm->flags & PT_POWER_BOARD) && READ_ONCE(vm->state) != VM_STOPPED)
            return;
    }
    shared.over = 1; /* the other cores see it at their next alarm */
    hal_board_reset();
}

void vm_stop(struct vm *vm)
{
    vm->state = VM_STOPPED;
    sched_stopped(vm);
    if (vm->flags & PT_POWER_BOARD)
        end_board();
}

/* Without CONFIG_HEALTH the first event stops the VM. */
__optional void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value) { vm_stop(vm); }
