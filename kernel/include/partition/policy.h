/* SPDX-License-Identifier: MIT */
/*
 * partition/policy.h - the replaceable half of the scheduler (paper 2.4: "The scheduler can be replaced by implementing
 * an interface"): which VM has the present slot, and until when. sched.c has the other half: the pool, waking,
 * accounting.
 *
 * The configuration links one implementation: window.c (a slot is a cyclic window, the default) or fixed.c (a slot is a
 * time slice, priorities only). They are chosen at link time, not by function pointers, because a WCET analysis can
 * follow a call with a known target.
 */
#ifndef AMALGAM_PARTITION_POLICY_H
#define AMALGAM_PARTITION_POLICY_H

#include <partition/partition.h>

/* A slot of this core's time. */
struct slot {
    struct vm *owner; /* the VM that has the slot, even if it does not use it; NULL: the most urgent VM of the pool */
    u32 end;          /* time base at which policy_next() is called */
};
extern struct slot current_slot;
extern u32 slot_length; /* ticks */
extern u8 slot_plan;

/* Set the first slot; the board's first frame begins at `start`. */
void policy_init(u32 start);
/* current_slot.end has passed: set the next slot. Constant time. */
void policy_next(u32 now);
/* Returns whether a VM with these flags (enum pt_vm_flags) runs from the pool and not in slots of its own. */
bool policy_pooled(u8 flags);

#endif
