/* SPDX-License-Identifier: MIT */
/* lock.c - a core's test-and-set register: a word in its buffer, and XCHG, which is a full barrier. */
#include <RCCE_lib.h>

#include "rcce.h"

#define MOST_BACKOFF 1024u

static bool take(int ue)
{
    u32 was = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(rcce.mpb[ue]->lock)::"memory");
    return !was;
}

int RCCE_acquire_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    for (unsigned looks = 0; !take(ue);)
        rcce_relax(&looks);
    return RCCE_SUCCESS;
}

int RCCE_try_lock(int ue, int *taken)
{
    if (!rcce_ue_ok(ue) || !taken)
        return rcce_error(DEBUG_SYNCH, taken ? RCCE_ERROR_ID : RCCE_ERROR_VAL_UNDEFINED);
    *taken = take(ue);
    return RCCE_SUCCESS;
}

int RCCE_backoff_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    unsigned looks = 0, wait = 1;
    while (!take(ue)) {
        for (unsigned i = 0; i < wait; i++)
            rcce_relax(&looks);
        wait = wait < MOST_BACKOFF ? 2 * wait : wait;
    }
    return RCCE_SUCCESS;
}

int RCCE_release_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    __atomic_store_n(&rcce.mpb[ue]->lock, 0, __ATOMIC_RELEASE);
    mpbt_drain(&rcce.own->drain);
    return RCCE_SUCCESS;
}
