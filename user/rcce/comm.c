/* SPDX-License-Identifier: MIT */
/*
 * comm.c - groups of UEs, and their barriers by dissemination (Hensgen, Finkel and Manber, 1988). In round k a member
 * stores the number of the barrier in a word of the member 2^k places after it, and waits for its own word. The number
 * counts all barriers of the group from its split on, so no word has to be reset. A word that this barrier has not
 * written may be of any age, since barriers of other kinds leave it alone (barriers.c); one that it has written is at
 * most one barrier ahead.
 */
#include <string.h>

#include "rcce.h"

#define WORLD                                                                                                          \
    (RCCE_BUFF_SIZE_MAX /                                                                                              \
     RCCE_LINE_SIZE) /* index of the world's counter, behind those of the lines that groups may have */

RCCE_COMM RCCE_COMM_WORLD, RCCE_P_COMM;

static u32 barriers[WORLD + 1]; /* the number of barriers of the group whose words begin at a line */

/* For each round: the word to store in, and the word to wait for. */
struct way {
    volatile u32 *tell;
    const volatile u32 *look;
};

/* barriers use two sets of lines in turn, so that the next barrier does not disturb UEs that wait in this one */
static struct way world[2][ROUNDS];
static unsigned world_rounds;
static RCCE_COMM own_world; /* a copy, because the application may have overwritten its RCCE_COMM_WORLD */

/* Find the words of a group's barrier, which lie `stride` bytes apart from `at` on in each member's buffer. Returns the
 * number of rounds. */
static unsigned find_ways(struct way *way, const RCCE_COMM *comm, const volatile void *at, unsigned stride)
{
    unsigned n = 0;
    size_t offset = (size_t)((const volatile char *)at - (const volatile char *)rcce.own);
    for (int step = 1; step < comm->size; step *= 2, offset += stride) {
        int to = comm->member[(comm->my_rank + step) % comm->size];
        way[n].tell = (volatile u32 *)((char *)rcce.mpb[to] + offset);
        way[n++].look = (const volatile u32 *)((const char *)rcce.own + offset);
    }
    return n;
}

/* `ahead`: how many barriers a word may be ahead. */
static inline __attribute__((always_inline)) void disseminate(const struct way *way, unsigned rounds, u32 number,
                                                              u32 ahead)
{
    volatile u32 *drain = &rcce.own->drain;
    for (const struct way *end = way + rounds; way < end; way++) {
        *way->tell = number;
        mpbt_drain(drain);
        rcce_await(rcce_look(way->look) - number <= ahead);
    }
}

void rcce_comm_world(void)
{
    RCCE_COMM_WORLD = (RCCE_COMM){ .size = rcce.n, .my_rank = rcce.ue, .initialized = 1 };
    for (int i = 0; i < rcce.n; i++)
        RCCE_COMM_WORLD.member[i] = i;
    RCCE_COMM_WORLD.barrier = (t_vcharp)rcce.own->barrier;
    own_world = RCCE_COMM_WORLD;
    memset(barriers, 0, sizeof(barriers));
    for (unsigned i = 0; i < 2; i++)
        world_rounds = find_ways(world[i], &RCCE_COMM_WORLD, rcce.own->barrier[i], RCCE_LINE_SIZE);
}

/* Check a group of the application, whose memory may have been overwritten. */
static bool comm_ok(const RCCE_COMM *c)
{
    bool ok = c && c->initialized == 1 && c->size > 0 && c->size <= rcce.n && c->my_rank >= 0 && c->my_rank < c->size;
    for (int i = 0; ok && i < c->size; i++)
        ok = rcce_ue_ok(c->member[i]);
    return ok && c->member[c->my_rank] == rcce.ue;
}

static bool is_world(const RCCE_COMM *comm) { return comm->barrier == (t_vcharp)rcce.own->barrier; }

int rcce_group(const RCCE_COMM *comm, struct rcce_words *group)
{
    size_t offset;
    if (!rcce.n || (comm != &RCCE_COMM_WORLD && !comm_ok(comm)))
        return RCCE_ERROR_COMM_UNDEFINED;
    if (comm == &RCCE_COMM_WORLD || is_world(comm)) {
        *group = (struct rcce_words){ &barriers[WORLD], offsetof(struct rcce_mpb, release), &own_world };
        return RCCE_SUCCESS;
    }
    if (!rcce_offset(comm->barrier, RCCE_LINE_SIZE, &offset) || offset % RCCE_LINE_SIZE)
        return RCCE_ERROR_COMM_UNDEFINED;
    *group = (struct rcce_words){ &barriers[offset / RCCE_LINE_SIZE], offset + ROUNDS * sizeof(u32), comm };
    return RCCE_SUCCESS;
}

int RCCE_barrier(RCCE_COMM *comm)
{
    if (comm == &RCCE_COMM_WORLD && rcce.n) {
        u32 number = ++barriers[WORLD];
        disseminate(world[number % 2], world_rounds, number, 0);
        return RCCE_SUCCESS;
    }
    struct rcce_words group;
    int error = rcce_group(comm, &group);
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    if (is_world(comm))
        return RCCE_barrier(&RCCE_COMM_WORLD);
    struct way way[ROUNDS];
    disseminate(way, find_ways(way, comm, comm->barrier, sizeof(u32)), ++*group.number, 1);
    return RCCE_SUCCESS;
}

/* Begin to count a group's barriers at 0, in all words of this UE's line. An older group of other members may have had
 * the line, and an unequal number of barriers at each of them. The members are in the split, so nobody uses the line.
 */
static void clear_line(t_vcharp line)
{
    barriers[(size_t)(line - (t_vcharp)rcce.own) / RCCE_LINE_SIZE] = 0;
    for (unsigned i = 0; i < RCCE_LINE_SIZE / sizeof(u32); i++)
        rcce_tell((volatile u32 *)line + i, 0);
}

/* Tell all members that this one has no memory for the group, by the number of this split. */
static void refuse(const RCCE_COMM *comm, u32 split)
{
    for (int i = 0; i < comm->size; i++)
        rcce_tell(&rcce.mpb[comm->member[i]]->refused, split);
}

/* All UEs come to the second barrier. Behind it all members have a line that is ready, or know that one has none. */
int RCCE_comm_split(int (*color)(int ue, void *aux), void *aux, RCCE_COMM *comm)
{
    if (!rcce.n || !color || !comm)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    RCCE_barrier(&RCCE_COMM_WORLD);
    u32 split = barriers[WORLD];
    int own = color(rcce.ue, aux);
    *comm = (RCCE_COMM){ 0 };
    for (int i = 0; i < rcce.n; i++)
        if (color(i, aux) == own) {
            if (i == rcce.ue)
                comm->my_rank = comm->size;
            comm->member[comm->size++] = i;
        }
    comm->barrier = RCCE_malloc(RCCE_LINE_SIZE);
    if (comm->barrier)
        clear_line(comm->barrier);
    else
        refuse(comm, split);
    RCCE_barrier(&RCCE_COMM_WORLD);
    comm->initialized = rcce_look(&rcce.own->refused) != split;
    if (comm->initialized)
        return RCCE_SUCCESS;
    RCCE_free(comm->barrier);
    return rcce_error(DEBUG_COMM, RCCE_ERROR_MALLOC);
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
    rcce_polled();
}
