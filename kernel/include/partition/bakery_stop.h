/* SPDX-License-Identifier: MIT */
/* partition/bakery_stop.h - releases the lock of partition/bakery.h, in line. It is a header of its own because it
 * needs the machine's fence, which not every file that declares a lock may include. */
#ifndef AMALGAM_PARTITION_BAKERY_STOP_H
#define AMALGAM_PARTITION_BAKERY_STOP_H

#include <arch/cpu.h>
#include <partition/bakery.h>

/* Release the lock, given the address of the core's word. */
static inline void mutex_stop_word(u32 *word)
{
    mp_fence(); /* D: writes under the lock come before this */
    *(volatile u32 *)word = 0;
}

/* Release the lock held by core `me`, the calling core. */
static inline void mutex_stop(struct bakery *b, u32 me) { mutex_stop_word(&b->word[me]); }

#endif
