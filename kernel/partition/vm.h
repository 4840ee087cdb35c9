/* SPDX-License-Identifier: MIT */
/* partition/vm.h - what the files of the partition core ask each other about VMs; partition/partition.h is the outside.
 */
#ifndef AMALGAM_PARTITION_VM_H
#define AMALGAM_PARTITION_VM_H

#include <partition/partition.h>

/* sched.c */
void sched_first(u32 start);       /* this core's first turn */
void sched_stopped(struct vm *vm); /* it is STOPPED, or began a new life: if it is current, nobody is any more */
/* load.c: loading is done in the VM's own time, in steps that delay a window's edge by one step at most */
void load_begin(struct vm *vm);
bool load_done(const struct vm *vm);
bool load_step(struct vm *vm); /* true: done */
/* previrt.c: the same for patches; the number of the next one, or 0: done (without CONFIG_PREVIRT always) */
u32 patch_step(struct vm *vm, u32 next);
/* stop.c */
void vm_stop(struct vm *vm); /* STOPPED; the board's run may be over */
/* health.c; where there is no CONFIG_HEALTH, what stands beside the callers */
void vm_start(struct vm *vm);            /* a new life: READY, to be loaded */
void partition_order(struct vm *vm);     /* do what vm->part.order says; its owner */
bool vm_to_start(const struct vm *vm);   /* stopped: it is to start again */
void vm_overrun(struct vm *vm, u32 due); /* its turn ended while it ran */
u32 plan_wanted(void);                   /* by an event or a monitor */
void vm_holds(struct vm *vm);            /* it has this core from now on */
void vm_used(struct vm *vm, u32 ticks);  /* for so long it had the core */
void window_begun(u32 due);              /* the record of how late windows begin */
void event_log(struct vm *vm, u32 event, u32 action, u32 code, u32 value);

#endif
