/* SPDX-License-Identifier: MIT */
/*
 * queue_lock.c - a lock for which UEs wait in a row (Mellor-Crummey and Scott, 1991): a word of the shared memory says
 * who is last. Whoever comes tells the one before in its buffer, and waits for a word in its own. So a lock that is
 * handed over costs the same whoever waits, and everyone gets it in turn.
 *
 * On the part the word needs an atomic exchange, which only test-and-set registers are: see docs/scc.md.
 */
#include <RCCE_lib.h>

#include "rcce.h"

static int held = -1; /* whose lock this UE has or waits for: there is one place in a row for each UE */

static volatile u32 *tail_of(int ue) { return rcce.registers->tail[rcce.core[ue]]; }

void rcce_queue_init(void) { held = -1; }

static u32 exchange(volatile u32 *word, u32 value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*word)::"memory");
    return value;
}

/* Make an empty row of the row of this UE alone. */
static bool leave_alone(volatile u32 *tail)
{
    u32 was = (u32)rcce.ue + 1;
    __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(was), "+m"(*tail) : "r"(0) : "memory", "cc");
    return was == (u32)rcce.ue + 1;
}

int RCCE_acquire_queuelock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    if (held >= 0)
        return RCCE_REJECTED;
    held = ue;
    rcce.own->turn = 0;
    rcce.own->behind = 0;
    mpbt_drain(&rcce.own->drain);
    u32 before = exchange(tail_of(ue), (u32)rcce.ue + 1) - 1;
    if (before >= (u32)rcce.n) /* nobody */
        return RCCE_SUCCESS;
    rcce_tell(&rcce.mpb[before]->behind, (u32)rcce.ue + 1);
    for (unsigned looks = 0; !rcce_look(&rcce.own->turn);)
        rcce_relax(&looks);
    return RCCE_SUCCESS;
}

int RCCE_release_queuelock(int ue)
{
    if (!rcce_ue_ok(ue) || held != ue)
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    held = -1;
    mpbt_drain(&rcce.own->drain); /* what was stored under the lock */
    u32 next = rcce_look(&rcce.own->behind) - 1;
    if (next >= (u32)rcce.n && leave_alone(tail_of(ue)))
        return RCCE_SUCCESS;
    for (unsigned looks = 0; next >= (u32)rcce.n; next = rcce_look(&rcce.own->behind) - 1)
        rcce_relax(&looks); /* it has come, and is about to tell */
    rcce_tell(&rcce.mpb[next]->turn, 1);
    return RCCE_SUCCESS;
}
