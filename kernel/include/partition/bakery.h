/* SPDX-License-Identifier: MIT */
/*
 * partition/bakery.h - mutual exclusion between cores that have only loads and stores: Lamport's bakery (CACM 17(8),
 * 1974).
 *
 * A core that wants the lock takes a ticket above all tickets that it sees, and waits for the lower ones. Each core has
 * one word, which only it writes. The word is Lamport's choosing[] and number[] in one:
 *
 *      0               the core does not want the lock
 *      BAKERY_CHOOSING the core chooses a ticket; this is below all tickets, so that a core that waits for
 *                      lower tickets waits for the choice, too
 *      8 k + core      the core holds ticket k >= 1; tickets are unique, so ties need no rule
 *
 * tests/model/bakery.pml checks mutual exclusion, and first come, first served once a core has left the doorway
 * (BAKERY_CHOOSING and the reading of all words). docs/bakery-lock.md argues for each fence.
 *
 * The lock is held for a few instructions only, which move VMs in and out of the ready structure (ready.c). The paper
 * holds it around the counting of a semaphore (3.3); docs/bakery-lock.md has the cost of that.
 *
 * A core can die while it holds the lock. A core that has waited longer than 2^LOCK_BOUND ticks gives up for good: it
 * must not use this lock again. The other cores then find the same.
 */
#ifndef AMALGAM_PARTITION_BAKERY_H
#define AMALGAM_PARTITION_BAKERY_H

#include <partition/table.h>

#define BAKERY_CHOOSING 1u
#define BAKERY_LIMIT    0x80000000u /* all tickets are below; see mutex_start() */
#define LOCK_BOUND                                                                                                     \
    28 /* 2^28 ticks, 0.8 s at 333 MHz: long enough for a host that does not run a living core for a while */

struct bakery {
    u32 word[PT_CORES];
};

/* Not inlined, so that its bound and its count can be given (amalgam wcet, bench proteus). */
#define LOCK_ROUTINE __attribute__((noipa))

/* Take the lock for core `me`, the calling core. Returns false if it has waited for 2^LOCK_BOUND ticks: this lock is
 * lost. mutex_stop() is in partition/bakery_stop.h. */
__must_check LOCK_ROUTINE bool mutex_start(struct bakery *b, u32 me);

/* The number of cores, whose words are read. */
extern u32 core_count;

#endif
