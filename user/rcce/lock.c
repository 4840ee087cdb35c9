/* SPDX-License-Identifier: MIT */
/* lock.c - the locks: a core's test-and-set register is a word of the shared memory here. It is taken by XCHG, which is
 * a full barrier. */
#include <RCCE_lib.h>

#include "rcce.h"

#define MOST_BACKOFF 1024u

int RCCE_acquire_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    rcce_await(rcce_take(ue));
    return RCCE_SUCCESS;
}

int RCCE_try_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    if (rcce_take(ue))
        return RCCE_SUCCESS;
    rcce_polled();
    return RCCE_PENDING;
}

int RCCE_backoff_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    struct rcce_wait w = { 0 };
    unsigned wait = 1;
    while (!rcce_take(ue)) {
        for (unsigned i = 0; i < wait; i++)
            rcce_relax(&w);
        wait = wait < MOST_BACKOFF ? 2 * wait : wait;
    }
    return RCCE_SUCCESS;
}

int RCCE_release_lock(int ue)
{
    if (!rcce_ue_ok(ue))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_ID);
    rcce_give(ue);
    return RCCE_SUCCESS;
}

/* Returns the member whose register is the tree's node for the members [i, i + size) with `rank` among them: the last
 * one of their first half, so that nodes of other sizes have other registers. NULL: that node is not needed, because
 * its second half has no member. */
static const int *middle(const RCCE_COMM *comm, int size)
{
    int rank = comm->my_rank / size * size + (size - 1) / 2;
    return rank < comm->size ? &comm->member[rank] : NULL;
}

int RCCE_acquire_treelock(RCCE_COMM *comm)
{
    struct rcce_words group;
    int error = rcce_group(comm, &group);
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    for (int size = 2; size / 2 < group.comm->size; size *= 2) {
        const int *ue = middle(group.comm, size);
        rcce_await(!ue || rcce_take(*ue));
    }
    return RCCE_SUCCESS;
}

int RCCE_release_treelock(RCCE_COMM *comm)
{
    struct rcce_words group;
    int error = rcce_group(comm, &group), size = 2;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    while (size < group.comm->size)
        size *= 2;
    for (; size > 1; size /= 2)
        if (middle(group.comm, size) && group.comm->size > 1)
            rcce_give(*middle(group.comm, size));
    return RCCE_SUCCESS;
}
