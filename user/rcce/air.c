/* SPDX-License-Identifier: MIT */
/*
 * air.c - atomic increment registers, and barriers that count in one. Here a register is a word of the shared memory
 * and is incremented by XADD; on the real SCC it is a register of the board's FPGA, far from all cores.
 *
 * A barrier counts the UEs that have arrived in a register, and the last UE clears it. A UE that leaves may arrive at
 * the next barrier before others have read the register, so barriers use two registers in turn.
 */
#include <iRCCE.h>
#include <RCCE_lib.h>

#include "rcce.h"

#define WAIT_LEAST 8u
#define WAIT_MOST  256u
enum { IDLE, AIR = 10 }; /* comm->label */

static iRCCE_AIR airs[AIRS];
static int allocated;
static unsigned turns; /* how many barriers there were */

void rcce_air_init(void)
{
    allocated = 0;
    turns = 0;
}

void rcce_air_clear(void)
{
    for (int i = 0; i < AIRS + AIRS_OWN; i++)
        __atomic_store_n(&rcce.registers->air[i][0], 0, __ATOMIC_RELAXED);
}

static int increment(volatile int *air)
{
    int was = 1;
    __asm__ volatile("lock xaddl %0, %1" : "+r"(was), "+m"(*air)::"memory");
    return was;
}

int iRCCE_atomic_alloc(iRCCE_AIR **air)
{
    if (!rcce.n || !air || allocated == AIRS)
        return iRCCE_ERROR;
    volatile int *word = rcce.registers->air[allocated];
    airs[allocated] = (iRCCE_AIR){ word, word };
    *air = &airs[allocated++];
    return iRCCE_SUCCESS;
}

static bool is_air(const iRCCE_AIR *air)
{
    for (int i = 0; rcce.n && i < allocated; i++)
        if (air == &airs[i])
            return true;
    return false;
}

int iRCCE_atomic_inc(iRCCE_AIR *air, int *value)
{
    if (!is_air(air))
        return iRCCE_ERROR;
    mpbt_drain(&rcce.own->drain); /* a UE that sees the count also sees what was put before it */
    int was = increment(air->counter);
    if (value)
        *value = was;
    rcce_polled();
    return iRCCE_SUCCESS;
}

int iRCCE_atomic_read(iRCCE_AIR *air, int *value)
{
    if (!is_air(air) || !value)
        return iRCCE_ERROR;
    *value = __atomic_load_n(air->init, __ATOMIC_ACQUIRE);
    rcce_polled();
    return iRCCE_SUCCESS;
}

int iRCCE_atomic_write(iRCCE_AIR *air, int value)
{
    if (!is_air(air))
        return iRCCE_ERROR;
    mpbt_drain(&rcce.own->drain);
    __atomic_store_n(air->init, value, __ATOMIC_RELEASE);
    return iRCCE_SUCCESS;
}

static bool is_world(const RCCE_COMM *comm)
{
    struct rcce_words g;
    return !rcce_group(comm, &g) && g.release == offsetof(struct rcce_mpb, release);
}

/* Count this UE, and clear the register if it is the last one. Returns the register, or NULL if all have arrived. */
static volatile int *count(unsigned *turn)
{
    volatile int *air = rcce.registers->air[AIRS + *turn % 2];
    mpbt_drain(&rcce.own->drain);
    if (increment(air) < rcce.n - 1)
        return air;
    __atomic_store_n(air, 0, __ATOMIC_RELEASE);
    ++*turn;
    return NULL;
}

static int come(const volatile int *air) { return __atomic_load_n(air, __ATOMIC_ACQUIRE); }

static void look_later(unsigned times, struct rcce_wait *w)
{
    while (times--)
        rcce_relax(w);
}

/* Waits twice as long after each poll. */
int RCCE_AIR_barrier(RCCE_COMM *comm)
{
    if (!is_world(comm))
        return RCCE_barrier(comm);
    if (comm->label != IDLE)
        return RCCE_REJECTED;
    volatile int *air = count(&turns);
    struct rcce_wait w = { 0 };
    for (unsigned wait = WAIT_LEAST; air && come(air); wait = wait < WAIT_MOST ? 2 * wait : wait)
        look_later(wait, &w);
    turns += air != NULL;
    return RCCE_SUCCESS;
}

/* Waits longer the more UEs are missing. */
int RCCE_AIR_barrier2(RCCE_COMM *comm)
{
    if (!is_world(comm))
        return RCCE_barrier(comm);
    if (comm->label != IDLE)
        return RCCE_REJECTED;
    volatile int *air = count(&turns);
    struct rcce_wait w = { 0 };
    for (int n; air && (n = come(air));)
        look_later(n > 0 && n < rcce.n ? (unsigned)(rcce.n - n) : 1, &w);
    turns += air != NULL;
    return RCCE_SUCCESS;
}

int RCCE_nb_AIR_barrier(RCCE_COMM *comm)
{
    if (!is_world(comm))
        return RCCE_barrier(comm);
    if (comm->label != IDLE && comm->label != AIR)
        return RCCE_REJECTED;
    if (comm->label == IDLE && !count(&turns))
        return RCCE_SUCCESS;
    comm->label = AIR;
    if (come(rcce.registers->air[AIRS + turns % 2])) {
        if (rcce.push)
            rcce.push();
        rcce_polled();
        return RCCE_PENDING;
    }
    turns++;
    comm->label = IDLE;
    return RCCE_SUCCESS;
}
