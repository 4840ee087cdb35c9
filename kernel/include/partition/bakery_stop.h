/* SPDX-License-Identifier: MIT */
/* partition/bakery_stop.h - the end of what mutex_start() began (partition/bakery.h), in line: it needs the machine's
 * fence, which not everybody who declares a lock can name. */
#ifndef AMALGAM_PARTITION_BAKERY_STOP_H
#define AMALGAM_PARTITION_BAKERY_STOP_H

#include <arch/cpu.h>
#include <partition/bakery.h>

/* By the core's own word, for who knows its address. */
static inline void mutex_stop_word(u32 *word)
{
    mp_fence(); /* D: what the lock protects was written before this */
    *(volatile u32 *)word = 0;
}

/* `me`: this core, which holds the lock. */
static inline void mutex_stop(struct bakery *b, u32 me) { mutex_stop_word(&b->word[me]); }

#endif
