/* SPDX-License-Identifier: MIT */
/*
 * partition/bakery.h - mutual exclusion between cores that have nothing but loads and stores: Lamport's bakery
 * (CACM 17(8), 1974).
 *
 * A core that wants in takes a ticket above all that it sees, and waits for those below. One word
 * a core, written by it alone, is Lamport's choosing[] and number[] in one:
 *
 *     0               elsewhere
 *     BAKERY_CHOOSING is taking a ticket; below all tickets, so that whoever waits for "nobody below
 *                     me" waits for the choice, too
 *     8 k + core      holds ticket k >= 1; unique, so ties need no rule
 *
 * Mutual exclusion and first come, first served past the doorway (BAKERY_CHOOSING and the look around) are checked
 * in tests/model/bakery.pml. docs/bakery-lock.md has the argument for each fence.
 *
 * It is held for a few instructions only, those that move VMs in and out of the ready structure (ready.c). The paper
 * holds it around the counting of a semaphore instead (3.3); what that costs more is in docs/bakery-lock.md.
 *
 * A core can die while it holds a lock. Whoever waits longer than 2^LOCK_BOUND ticks gives up, once and for all: it
 * must not use this lock again, and the others find the same in their turn.
 */
#ifndef AMALGAM_PARTITION_BAKERY_H
#define AMALGAM_PARTITION_BAKERY_H

#include <partition/table.h>

#define BAKERY_CHOOSING 1u
#define BAKERY_LIMIT    0x80000000u /* tickets stay below; see mutex_start */
#define LOCK_BOUND      28 /* 2^28 ticks, 0.8 s at 333 MHz: a host may take its time to run a core that is alive */

struct bakery {
    u32 word[PT_CORES];
};

/* Functions of their own in the image, so that their bounds and counts can be told (amalgam wcet, bench proteus). */
#define LOCK_ROUTINE __attribute__((noipa))

/* `me`: this core. False: waited for 2^LOCK_BOUND ticks, this lock is lost. mutex_stop(): partition/bakery_stop.h. */
__must_check LOCK_ROUTINE bool mutex_start(struct bakery *b, u32 me);

/* How many cores there are: whose words are looked at. */
extern u32 core_count;

#endif
