/* SPDX-License-Identifier: MIT */
/*
 * barriers.c - other barriers than the dissemination of RCCE_barrier(), to compare them (Mellor-Crummey and Scott,
 * 1991), and non-blocking ones.
 *
 * A UE arrives at another UE by incrementing its own byte in that UE's buffer (`came`). It arrives again only after
 * that UE has released it, so that UE always waits for the next count. A UE is released by the number of the group's
 * barrier in the word on which each member waits (comm.c). Nobody is released from a later barrier before it has come
 * there, so the word is equal to the number or old, how old ever. Other cores write these bytes and words; values that
 * cannot be right are ignored.
 *
 *   linear            the first member waits for all others, one after the other, and releases them
 *   tree              a UE waits for its children, arrives at its parent, and when it is released releases its children
 *   tournament        of each two UEs the higher rank arrives at the lower one, which plays on, and releases it
 *   tournament_fixed  the same, but the champion releases all
 *   TNS               a UE that arrives takes the first free lock of the members and waits for it; the last one starts
 *                     a chain in which each UE frees its own lock and the next one's
 *   AIR               air.c
 */
#include <RCCE_lib.h>
#include <string.h>

#include "rcce.h"

enum { IDLE, LINEAR, LINEAR_ROOT, TNS }; /* comm->label; air.c has one more */

/* How often this UE arrived at each UE, and each UE at this one. */
static u8 arrived_at[RCCE_MAXNP], arrived_here[RCCE_MAXNP];

void rcce_barriers_init(void)
{
    memset(arrived_at, 0, sizeof(arrived_at));
    memset(arrived_here, 0, sizeof(arrived_here));
}

static void arrive_at(int ue) { rcce_tell_byte(&rcce.mpb[ue]->came[rcce.ue], ++arrived_at[ue]); }

static bool has_arrived(int ue)
{
    if (rcce_look_byte(&rcce.own->came[ue]) != (u8)(arrived_here[ue] + 1))
        return false;
    arrived_here[ue]++;
    return true;
}

static void await(int ue) { rcce_await(has_arrived(ue)); }

static volatile u32 *release_word(const struct rcce_words *g, int ue)
{
    return (volatile u32 *)((char *)rcce.mpb[ue] + g->release);
}

static void release(const struct rcce_words *g, int ue) { rcce_tell(release_word(g, ue), *g->number); }

static bool is_released(const struct rcce_words *g) { return rcce_look(release_word(g, rcce.ue)) == *g->number; }

static void await_release(const struct rcce_words *g) { rcce_await(is_released(g)); }

/* Start a barrier of the group: fill `g` and increment its number. Returns RCCE_SUCCESS or an error. */
static int barrier_start(const RCCE_COMM *comm, struct rcce_words *g)
{
    int error = rcce_group(comm, g);
    if (!error && comm->label != IDLE)
        return RCCE_REJECTED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    ++*g->number;
    return RCCE_SUCCESS;
}

int RCCE_dissemination_barrier(RCCE_COMM *comm) { return RCCE_barrier(comm); }

/* The children of a UE have consecutive ranks, so every UE computes its own without messages. */
int RCCE_tree_init(RCCE_COMM *comm, tree_t *tree, int num_children)
{
    struct rcce_words g;
    int error = rcce_group(comm, &g);
    if (!error && (!tree || num_children < 1 || num_children > RCCE_MAXNP))
        error = RCCE_ERROR_VAL_UNDEFINED;
    if (error)
        return rcce_error(DEBUG_SYNCH, error);
    int me = g.comm->my_rank, first = me * num_children + 1;
    *tree = (tree_t){ .parent = me ? g.comm->member[(me - 1) / num_children] : -1 };
    for (int rank = first; rank < g.comm->size && rank < first + num_children; rank++)
        tree->child[tree->num_children++] = g.comm->member[rank];
    return RCCE_SUCCESS;
}

static bool tree_ok(const tree_t *tree)
{
    bool ok = tree && tree->num_children >= 0 && tree->num_children <= RCCE_MAXNP;
    for (int i = 0; ok && i < tree->num_children; i++)
        ok = rcce_ue_ok(tree->child[i]);
    return ok && (tree->parent == -1 || rcce_ue_ok(tree->parent));
}

int RCCE_tree_barrier(RCCE_COMM *comm, tree_t *tree)
{
    struct rcce_words g;
    if (!tree_ok(tree))
        return rcce_error(DEBUG_SYNCH, RCCE_ERROR_VAL_UNDEFINED);
    int error = barrier_start(comm, &g);
    if (error)
        return error;
    for (int i = 0; i < tree->num_children; i++)
        await(tree->child[i]);
    if (tree->parent != -1) {
        arrive_at(tree->parent);
        await_release(&g);
    }
    for (int i = 0; i < tree->num_children; i++)
        release(&g, tree->child[i]);
    return RCCE_SUCCESS;
}

/* Play until this rank loses or has won against all. Returns the size of the group in which it lost. */
static int play(const RCCE_COMM *comm)
{
    int me = comm->my_rank, half = 1;
    for (; half < comm->size && me % (2 * half) == 0; half *= 2)
        if (me + half < comm->size)
            await(comm->member[me + half]);
    if (me)
        arrive_at(comm->member[me - half]);
    return half;
}

int RCCE_tournament_barrier(RCCE_COMM *comm)
{
    struct rcce_words g;
    int error = barrier_start(comm, &g);
    if (error)
        return error;
    int me = g.comm->my_rank, half = play(g.comm);
    if (me)
        await_release(&g);
    for (half /= 2; half; half /= 2)
        if (me + half < g.comm->size)
            release(&g, g.comm->member[me + half]);
    return RCCE_SUCCESS;
}

int RCCE_tournament_fixed_barrier(RCCE_COMM *comm)
{
    struct rcce_words g;
    int error = barrier_start(comm, &g);
    if (error)
        return error;
    play(g.comm);
    if (g.comm->my_rank)
        await_release(&g);
    for (int rank = 1; rank < g.comm->size && !g.comm->my_rank; rank++)
        release(&g, g.comm->member[rank]);
    return RCCE_SUCCESS;
}

/* Do the next steps of a non-blocking linear barrier, in which comm->count members have arrived. Returns whether it is
 * finished. */
static bool linear_done(RCCE_COMM *comm, const struct rcce_words *g)
{
    int size = g->comm->size;
    if (comm->label == LINEAR)
        return is_released(g);
    while (comm->count > 0 && comm->count < size && has_arrived(g->comm->member[comm->count]))
        comm->count++;
    for (int rank = 1; rank < size && comm->count == size; rank++)
        release(g, g->comm->member[rank]);
    return comm->count == size;
}

int RCCE_nb_barrier(RCCE_COMM *comm)
{
    struct rcce_words g;
    int error =
        comm && (comm->label == LINEAR || comm->label == LINEAR_ROOT) ? rcce_group(comm, &g) : barrier_start(comm, &g);
    if (error)
        return error;
    if (comm->label == IDLE) {
        comm->label = g.comm->my_rank ? LINEAR : LINEAR_ROOT;
        comm->count = 1;
        if (g.comm->my_rank)
            arrive_at(g.comm->member[0]);
    }
    if (!linear_done(comm, &g)) {
        if (rcce.push)
            rcce.push();
        rcce_polled();
        return RCCE_PENDING;
    }
    comm->label = IDLE;
    return RCCE_SUCCESS;
}

/* Take the first free lock of the members. Returns its rank. */
static int take_first(const RCCE_COMM *comm)
{
    for (struct rcce_wait w = { 0 };; rcce_relax(&w))
        for (int place = 0; place < comm->size; place++)
            if (rcce_take(comm->member[place]))
                return place;
}

int RCCE_nb_TNS_barrier(RCCE_COMM *comm)
{
    struct rcce_words g;
    int error = comm && comm->label == TNS ? rcce_group(comm, &g) : barrier_start(comm, &g);
    if (!error && comm->label == TNS && (comm->step < 0 || comm->step >= g.comm->size))
        error = RCCE_ERROR_COMM_UNDEFINED;
    if (error)
        return error;
    if (comm->label == IDLE) {
        mpbt_drain(&rcce.own->drain);
        comm->step = take_first(g.comm);
        comm->label = TNS;
        if (comm->step == g.comm->size - 1)
            rcce_give(g.comm->member[0]);
    }
    if (!rcce_take(g.comm->member[comm->step])) {
        if (rcce.push)
            rcce.push();
        rcce_polled();
        return RCCE_PENDING;
    }
    rcce_give(g.comm->member[comm->step]);
    if (comm->step < g.comm->size - 1)
        rcce_give(g.comm->member[comm->step + 1]);
    comm->label = IDLE;
    return RCCE_SUCCESS;
}

int RCCE_TNS_barrier(RCCE_COMM *comm)
{
    int result;
    rcce_await((result = RCCE_nb_TNS_barrier(comm)) != RCCE_PENDING);
    return result;
}
