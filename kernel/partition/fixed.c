/* SPDX-License-Identifier: MIT */
/*
 * fixed.c - partition/policy.h without windows: all VMs are in the pool, and the most urgent ones run, equals in turn
 * for a slice each. There is no temporal separation. For systems with one purpose, and to show that policies can be
 * replaced.
 */
#include <partition/policy.h>

#define SLICE 3333333u /* ticks: 10 ms at 333 MHz */

struct slot current_slot;
u32 slot_length;
u8 slot_plan;

void policy_init(u32 start) { current_slot.end = start + SLICE; }

void policy_next(u32 now)
{
    slot_length = SLICE;
    current_slot.end = now + SLICE;
}

bool policy_pooled(u8 flags) { return true; }
