/* SPDX-License-Identifier: MIT */
/*
 * partition/ready.h - the global ready structure, the *pool*: VMs without windows of their own wait here for any core
 * that may run them. It is a word of bits for each priority, all under shared.lock.
 *
 * A VM is in the pool (READY: in the map of its priority; otherwise asleep), or belongs to the core that took it, never
 * both. It is taken and returned in one critical section, and its record is complete before it is returned
 * (tests/model/ready.pml).
 *
 * A core that loses the lock (another core died with it) keeps the VM that it has and does without the pool.
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

/* Put `vm` into the pool, asleep or ready by its state. Core 0 only, before the other cores use the pool. */
void pool_add(struct vm *vm);
/*
 * Return `out` (unless NULL) to the pool by its state, and take the most urgent READY VM if `wants`. `last`: `out`
 * yields, so it is returned after the choice. If the pool is lost before or after, `out` stays the caller's.
 */
struct vm *pool_exchange(struct vm *out, bool wants, bool last);
/* Returns whether the pool has a READY VM above priority `below` for this core. Without the lock, so it is a hint. */
bool pool_wants(u32 below);
/* Make one sleeping VM READY that has a reason to wake: a knock, its timers, a monitor's order. Returns false if none
 * has one; otherwise call it again, as there may be more. */
bool pool_wake(u32 now);

#endif
