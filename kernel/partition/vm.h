/* SPDX-License-Identifier: MIT */
/* partition/vm.h - functions that the files of kernel/partition/ share; partition/partition.h is the contract with
 * others. */
#ifndef AMALGAM_PARTITION_VM_H
#define AMALGAM_PARTITION_VM_H

#include <partition/partition.h>

/* sched.c */
void sched_first(u32 start); /* begin this core's first slot */
void sched_stopped(
    struct vm *vm); /* the VM stopped, or began a new run: if it was current, no VM is current any more */
/* load.c: loading takes the VM's own time, in steps; one step delays a window's edge */
void load_begin(struct vm *vm);
bool load_done(const struct vm *vm);
bool load_step(struct vm *vm); /* returns true when done */
/* previrt.c: apply patches in steps; returns the number of the next one, or 0 when done (without CONFIG_PREVIRT
 * always) */
u32 patch_step(struct vm *vm, u32 next);
/* stop.c */
void vm_stop(struct vm *vm); /* stop the VM; may end the board's run */
/* health.c; without CONFIG_HEALTH the callers have weak defaults */
void vm_start(struct vm *vm);            /* begin a new run: READY, to be loaded */
void partition_order(struct vm *vm);     /* follow what order_waits() tells of; by the owner */
bool vm_to_start(const struct vm *vm);   /* returns whether a stopped VM is to start again */
void vm_overrun(struct vm *vm, u32 due); /* its slot ended while it ran */
u32 plan_wanted(void);                   /* the plan that an event or a monitor has asked for */
void vm_holds(struct vm *vm);            /* it gets this core */
void vm_used(struct vm *vm, u32 ticks);  /* it had the core for so long */
void window_begun(u32 due);              /* record how late a window has begun */
void event_log(struct vm *vm, u32 event, u32 action, u32 code, u32 value);

#endif
