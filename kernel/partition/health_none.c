/* SPDX-License-Identifier: MIT */
/* health_none.c - without CONFIG_HEALTH: a VM has one life, which ends with the first event. */
#include "vm.h"

__init_text void vm_start(struct vm *vm)
{
    vm->part.prio = vm->conf->prio;
    vm->state = VM_READY;
    load_begin(vm);
}

void partition_event(struct vm *vm, enum pt_event event, u32 code, u32 value) { vm_stop(vm); }
void partition_order(struct vm *vm) { vm_stop(vm); } /* its watchdog bit */
bool vm_to_start(const struct vm *vm) { return false; }
void vm_overrun(struct vm *vm, u32 due) {}
u32 plan_wanted(void) { return 0; }
void vm_holds(struct vm *vm) {}
void vm_used(struct vm *vm, u32 ticks) {}
void window_begun(u32 due) {}
