/* SPDX-License-Identifier: MIT */
/*
 * partition/policy.h - the replaceable half of the scheduler (paper 2.4: "The scheduler can be replaced by implementing
 * an interface"): whose turn is it, until when. sched.c does the rest: the pool, waking, accounting.
 *
 * Exactly one implementation is linked, by configuration: window.c (cyclic windows, the default) or fixed.c
 * (priorities only). They are found at link time and not by function pointers, because a call whose target is known
 * is what a WCET analysis can follow.
 */
#ifndef AMALGAM_PARTITION_POLICY_H
#define AMALGAM_PARTITION_POLICY_H

#include <partition/partition.h>

/* This core's turn. */
struct turn {
    struct vm *
        owner; /* the VM whose turn it is, whether it wants the core or not; NULL: whoever is most urgent in the pool */
    u32 end;   /* when policy_next() is to be asked again */
};
extern struct turn turn;
extern u32 turn_length; /* ticks */
extern u8 turn_plan;

/* `start`: the board's first frame begins then. Sets the first turn. */
void policy_init(u32 start);
/* turn.end has passed: set the next turn. Constant time. */
void policy_next(u32 now);
/* Whether a VM with these flags (enum pt_vm_flags) runs by way of the pool (and not in turns of its own). */
bool policy_pooled(u8 flags);

#endif
