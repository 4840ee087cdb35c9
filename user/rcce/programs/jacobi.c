/* SPDX-License-Identifier: MIT */
/*
 * jacobi.c - Jacobi's iteration for Laplace's equation by messages, on 480 x 512 inner points: the same grid as
 * user/openmp/programs/heat.c and kernel/proof/svm_task.c. `jacobi 126 126` has so many rows and columns. Each UE has a
 * band of rows; if there are fewer rows than UEs, the last UEs have none. In each iteration a UE needs the row
 * above and the row below, which its neighbours have. UE 0 prints Fletcher's sums of the result's words, which are
 * passed from UE to UE, and the time.
 *
 * Two neighbours exchange their rows at the same time: each puts its row into its own buffer and computes with the
 * other one's where that lies. By RCCE_send() and RCCE_recv() one row would go after the other, and the sender would
 * wait for each half of the buffer.
 *
 * Each UE executes mark 1 before and mark 2 after the iterations (docs/coherence.md, "Clocks").
 */
#define GORY
#include <RCCE.h>
#include <RCCE_lib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../numeric/stencil.h"
#include "../../numeric/x87.h"
#include "../../programs/mark.h"

_Static_assert(ITERATIONS % 2 == 0, "flags end as they began");

static int me, ues, working;   /* how many UEs have rows */
static int rows, all, columns; /* of rows how many this UE has, and all together */
static int pitch;
static double *grid[2]; /* its rows, and one row above and one below them */
static t_vcharp buffer; /* in the message passing buffer, a row */
/* Of the neighbour above and of the one below: its row is in its buffer; it has taken this UE's row. */
static RCCE_FLAG sent[2], taken[2];

static double *row(double *of, int r) { return of + r * pitch; }

/* Where another UE's row is, in its buffer. */
static double *row_of(int ue)
{
    return (double *)(uintptr_t)(RC_COMM_BUFFER_START(ue) + (buffer - RC_COMM_BUFFER_START(me)));
}

static int is_there(int ue) { return ue >= 0 && ue < working; }

/* Exchange rows with a neighbour, and compute the row that is next to its one. A flag's value is the iteration's phase,
 * so nobody resets flags; a neighbour cannot be an iteration ahead. A UE sets the flags that its neighbour has for it.
 * Looking at a flag invalidates what L1 has of buffers. */
static void exchange(double *new, double *old, int with, RCCE_FLAG_STATUS phase)
{
    int below = with > me, edge = below ? rows : 1;
    if (!is_there(with))
        return;
    RCCE_put(buffer, (t_vcharp)row(old, edge), pitch * sizeof(*old), me);
    RCCE_flag_write(&sent[!below], phase, with);
    RCCE_wait_until(sent[below], phase);
    if (rows == 1) /* it needs both neighbours' rows */
        RCCE_get((t_vcharp)row(old, below ? 2 : 0), buffer, pitch * sizeof(*old), with);
    else
        step(row(new, edge), below ? row(old, edge - 1) : row_of(with), row(old, edge),
             below ? row_of(with) : row(old, 2), columns);
    RCCE_flag_write(&taken[!below], phase, with);
    RCCE_wait_until(taken[below], phase);
}

static void iterate(void)
{
    int from = 1 + (rows > 1 && is_there(me - 1)), to = rows - (rows > 1 && is_there(me + 1));
    for (int i = 0; i < ITERATIONS && rows; i++) {
        double *old = grid[i % 2], *new = grid[1 - i % 2];
        RCCE_FLAG_STATUS phase = i % 2 ? RCCE_FLAG_UNSET : RCCE_FLAG_SET;
        exchange(new, old, me % 2 ? me - 1 : me + 1, phase);
        exchange(new, old, me % 2 ? me + 1 : me - 1, phase);
        for (int r = from; r <= to; r++)
            step(row(new, r), row(old, r - 1), row(old, r), row(old, r + 1), columns);
    }
}

/* Compute Fletcher's sums of the whole grid, with the edges above and below. */
static void sum(uint32_t sums[2])
{
    double *result = grid[ITERATIONS % 2];
    if (me > 0)
        RCCE_recv((char *)sums, buffer, 32, &taken[0], &sent[0], 2 * sizeof(*sums), me - 1, NULL);
    add_rows_to_sums(sums, row(result, me ? 1 : 0), rows + (me == 0) + (me == working - 1), columns, pitch);
    if (ues > 1)
        RCCE_send((char *)sums, buffer, 32, &taken[0], &sent[0], 2 * sizeof(*sums), (me + 1) % ues);
    if (me == 0 && ues > 1)
        RCCE_recv((char *)sums, buffer, 32, &taken[0], &sent[0], 2 * sizeof(*sums), ues - 1, NULL);
}

int RCCE_APP(int argc, char **argv)
{
    uint32_t sums[2] = { 0 };
    int error = RCCE_init(&argc, &argv);
    if (error)
        return 1;
    me = RCCE_ue();
    ues = RCCE_num_ues();
    if (!read_size(argc, argv, &all, &columns))
        return 2;
    pitch = row_pitch(columns);
    working = all < ues ? all : ues;
    rows = me < working ? (me + 1) * all / working - me * all / working : 0;
    for (int i = 0; i < 2; i++)
        if (!(grid[i] = calloc((size_t)rows + 2, pitch * sizeof(double)))) {
            printf("jacobi: no memory for %d rows\n", rows);
            return 1;
        }
    buffer = RCCE_malloc(sizeof(double[COLUMNS]));
    for (int i = 0; i < 2; i++)
        if (!buffer || RCCE_flag_alloc(&sent[i]) || RCCE_flag_alloc(&taken[i])) {
            printf("jacobi: no room in the buffer\n");
            return 1;
        }
    for (int i = 0; i < 2 && me == 0; i++)
        set_edge(grid[i], columns);
    round_to_53_bits();
    RCCE_barrier(&RCCE_COMM_WORLD);
    double start = RCCE_wtime();
    MARK(1);
    iterate();
    MARK(2);
    RCCE_barrier(&RCCE_COMM_WORLD);
    double took = RCCE_wtime() - start;
    sum(sums);
    if (me == 0)
        printf("jacobi: %d iterations on %d UEs: sums %x %x\njacobi: %.0f us\n", ITERATIONS, ues, (unsigned)sums[0],
               (unsigned)sums[1], took * 1e6);
    RCCE_finalize();
    return 0;
}
