/* SPDX-License-Identifier: MIT */
/*
 * partition/ready.h - the global ready structure: VMs that no window of their own runs wait here for any core
 * that may run them. One word of bits a priority; all under shared.lock.
 *
 * A VM is in it (READY: in the map of its priority, otherwise asleep) or belongs to the core that took it, never both:
 * it is taken and given back in one critical section, and its record is complete before it is given.
 * tests/model/ready.pml.
 *
 * A core that loses the lock (a core died with it) keeps the VM it has and does without the pool.
 */
#ifndef AMALGAM_PARTITION_READY_H
#define AMALGAM_PARTITION_READY_H

#include <partition/partition.h>

/* VMs of the pool that this core may run. */
extern u32 pool_mine;
/* This core's word of the lock. */
extern u32 *pool_word;
/* This core has given up the pool. */
extern bool pool_lost;

static inline u32 vm_bit(u32 id) { return 0x80000000u >> id; }

/* Core 0, before others look: `vm` begins its life in the pool, asleep or ready by its state. */
void pool_add(struct vm *vm);
/*
 * Give `out` back (unless NULL), by its state, and take the most urgent READY VM if the caller wants one.
 * `last`: `out` yields, so it is given back after the choice. With pool_lost (before or after) `out` stays the
 * caller's.
 */
struct vm *pool_exchange(struct vm *out, bool wants, bool last);
/* Is there one above priority `below` to be had? Without the lock: a hint. */
bool pool_wants(u32 below);
/* Make READY one of the sleeping that has a reason to wake: a knock, its timers, a monitor's order. Returns false if
 * none has one; otherwise look again, there may be more. */
bool pool_wake(u32 now);

#endif
