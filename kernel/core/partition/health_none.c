/* SPDX-License-Identifier: MIT */
/* health_none.c - without CONFIG_HEALTH: a VM has one life, which ends with the first event. */
#include <core/sched_vm.h>

void vm_start(struct vm *vm)
{
    vm->part.prio = vm->conf->prio;
    vm->state = VM_READY;
    vm->part.load = LOAD_COPY;
}

void vm_event(struct vm *vm, enum pt_event event, u32 code, u32 value) { vm_stop(vm); }
void vm_order(struct vm *vm) { vm_stop(vm); } /* its watchdog bit */
bool vm_to_start(const struct vm *vm) { return false; }
void vm_overrun(struct vm *vm, u32 due) {}
void load_zero(struct vm *vm) {}
