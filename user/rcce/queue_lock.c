/* SPDX-License-Identifier: MIT */
/*
 * queue_lock.c - a lock for which UEs wait in a queue (Mellor-Crummey and Scott, 1991). A word of the shared memory
 * holds the last UE of the queue. A UE that wants the lock puts itself there, stores its number in the buffer of the UE
 * before it, and waits for a word in its own buffer. So handing the lock over costs the same however many UEs wait, and
 * the UEs get it in the order in which they came.
 *
 * On the real SCC the word needs an atomic exchange, which only its test-and-set registers have: see docs/scc.md.
 */
#include <RCCE_lib.h>

#include "rcce.h"

static int held = -1; /* the lock that this UE has or waits for; only one, because a buffer has one place for a queue */

static volatile u32 *tail_of(int ue) { return rcce.registers->tail[rcce.core[ue]]; }

void rcce_queue_init(void) { held = -1; }

static u32 exchange(volatile u32 *word, u32 value)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*word)::"memory");
    return value;
}

/* Empty the queue if this UE is the only one in it. Returns whether it was. */
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
    if (before >= (u32)rcce.n) /* the queue was empty */
        return RCCE_SUCCESS;
    rcce_tell(&rcce.mpb[before]->behind, (u32)rcce.ue + 1);
    rcce_await(rcce_look(&rcce.own->turn));
    return RCCE_SUCCESS;
}

int RCCE_release_queuelock(int ue)
{
    if (!rcce_ue_ok(ue) || held != ue)
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    held = -1;
    mpbt_drain(&rcce.own->drain); /* bring what was stored under the lock to memory */
    u32 next = rcce_look(&rcce.own->behind) - 1;
    if (next >= (u32)rcce.n && leave_alone(tail_of(ue)))
        return RCCE_SUCCESS;
    rcce_await(next < (u32)rcce.n ||
               (next = rcce_look(&rcce.own->behind) - 1) < (u32)rcce.n); /* it will store its number soon */
    rcce_tell(&rcce.mpb[next]->turn, 1);
    return RCCE_SUCCESS;
}
