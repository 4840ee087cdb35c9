/* SPDX-License-Identifier: MIT */
/*
 * comm.c - groups of UEs, and their barriers: dissemination (Hensgen, Finkel and Manber, 1988). In round k a member
 * tells the one that is 2^k places behind it, and waits to be told. What is told is the number of the barrier, which
 * only grows, so nothing is reset: a word is one barrier ahead at most.
 */
#include <string.h>

#include "rcce.h"

#define SLOTS 256 /* counters: one for each line that a group may have, and the world's */

RCCE_COMM RCCE_COMM_WORLD, RCCE_P_COMM;

static u32 barriers[SLOTS]; /* how many there were, of the group whose words begin at a line */

void rcce_disseminate(const RCCE_COMM *comm, const volatile u32 *at, unsigned stride, unsigned slot)
{
    u32 number = ++barriers[slot];
    size_t offset = (size_t)((const char *)at - (const char *)rcce.own);
    int to = comm->my_rank, n = comm->size;
    for (int step = 1; step < n; step *= 2, offset += stride) {
        to = comm->my_rank + step;
        to = comm->member[to < n ? to : to - n];
        rcce_tell((volatile u32 *)((char *)rcce.mpb[to] + offset), number);
        const volatile u32 *word = (const volatile u32 *)((const char *)rcce.own + offset);
        for (unsigned looks = 0; (int)(rcce_look(word) - number) < 0;)
            rcce_relax(&looks);
    }
}

void rcce_comm_world(void)
{
    RCCE_COMM_WORLD = (RCCE_COMM){ .size = rcce.n, .my_rank = rcce.ue, .initialized = 1 };
    for (int i = 0; i < rcce.n; i++)
        RCCE_COMM_WORLD.member[i] = i;
    RCCE_COMM_WORLD.barrier = (t_vcharp)rcce.own->barrier;
    memset(barriers, 0, sizeof(barriers));
}

/* What an application hands in is its own memory: it may have been written over. */
static bool comm_ok(const RCCE_COMM *c)
{
    bool ok = c && c->initialized == 1 && c->size > 0 && c->size <= rcce.n && c->my_rank >= 0 && c->my_rank < c->size;
    for (int i = 0; ok && i < c->size; i++)
        ok = rcce_ue_ok(c->member[i]);
    return ok && c->member[c->my_rank] == rcce.ue;
}

int RCCE_barrier(RCCE_COMM *comm)
{
    size_t offset;
    if (comm == &RCCE_COMM_WORLD && rcce.n) {
        rcce_disseminate(comm, rcce.own->barrier[0], sizeof(rcce.own->barrier[0]), SLOTS - 1);
        return RCCE_SUCCESS;
    }
    if (!comm_ok(comm))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_COMM_UNDEFINED);
    if (comm->barrier == (t_vcharp)rcce.own->barrier)
        return RCCE_barrier(&RCCE_COMM_WORLD);
    if (!rcce_offset(comm->barrier, RCCE_LINE_SIZE, &offset) || offset % RCCE_LINE_SIZE)
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_COMM_UNDEFINED);
    rcce_disseminate(comm, (const volatile u32 *)comm->barrier, sizeof(u32), (unsigned)offset / RCCE_LINE_SIZE);
    return RCCE_SUCCESS;
}

int RCCE_comm_split(int (*color)(int ue, void *aux), void *aux, RCCE_COMM *comm)
{
    if (!rcce.n || !color || !comm)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    RCCE_barrier(&RCCE_COMM_WORLD);
    int own = color(rcce.ue, aux);
    *comm = (RCCE_COMM){ 0 };
    for (int i = 0; i < rcce.n; i++)
        if (color(i, aux) == own) {
            if (i == rcce.ue)
                comm->my_rank = comm->size;
            comm->member[comm->size++] = i;
        }
    comm->barrier = RCCE_malloc(RCCE_LINE_SIZE);
    if (!comm->barrier)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_MALLOC);
    size_t slot = (size_t)(comm->barrier - (t_vcharp)rcce.own) / RCCE_LINE_SIZE;
    for (unsigned i = 0; i < RCCE_LINE_SIZE / sizeof(u32); i++)
        rcce_tell((volatile u32 *)comm->barrier + i, barriers[slot]); /* the line may have been a group's before */
    comm->initialized = 1;
    return RCCE_barrier(&RCCE_COMM_WORLD); /* all lines are ready before one is told anything */
}

int RCCE_comm_free(RCCE_COMM *comm)
{
    if (!comm_ok(comm) || comm == &RCCE_COMM_WORLD)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    RCCE_free(comm->barrier);
    comm->initialized = 0;
    return RCCE_SUCCESS;
}

int RCCE_comm_size(RCCE_COMM comm, int *size)
{
    if (!comm_ok(&comm) || !size)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    *size = comm.size;
    return RCCE_SUCCESS;
}

int RCCE_comm_rank(RCCE_COMM comm, int *rank)
{
    if (!comm_ok(&comm) || !rank)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    *rank = comm.my_rank;
    return RCCE_SUCCESS;
}

void RCCE_fence(void)
{
    if (rcce.n)
        mpbt_drain(&rcce.own->drain);
    mpbt_invalidate();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
