/* SPDX-License-Identifier: MIT */
/*
 * fixed.c - partition/policy.h without windows: every VM is in the pool and the most urgent run, equals in turn for a
 * slice each. No temporal separation; for systems of one purpose, and to show that policies can be replaced.
 */
#include <partition/policy.h>

#define SLICE 3333333u /* ticks: 10 ms at 333 MHz */

struct turn turn;
u32 turn_length;
u8 turn_plan;

void policy_init(u32 start) { turn.end = start + SLICE; }

void policy_next(u32 now)
{
    turn_length = SLICE;
    turn.end = now + SLICE;
}

bool policy_pooled(u8 flags) { return true; }
