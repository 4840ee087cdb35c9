/* SPDX-License-Identifier: MIT */
/*
 * jacobi.c - Jacobi's iteration for Laplace's equation by messages, on 480 x 512 inner points: the same grid as
 * user/openmp/programs/heat.c and kernel/task/svm_task.c. Each UE has a band of rows. Before each iteration it gets the
 * row above and the row below from its neighbours. UE 0 prints Fletcher's sums of the result's words, which are passed
 * from UE to UE, and the time.
 *
 * Two neighbours exchange their rows at the same time: each puts its row into its own buffer and gets the other one's.
 * By RCCE_send() and RCCE_recv() one row would go after the other, and the sender would wait for each half of the
 * buffer.
 *
 * Each UE executes mark 1 before and mark 2 after the iterations (docs/coherence.md, "Clocks").
 */
#define GORY
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS       480
#define COLUMNS    512
#define ITERATIONS 10
#define ROW        (COLUMNS * sizeof(double))
#define MARK(n)    __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

_Static_assert(ITERATIONS % 2 == 0, "flags end as they began");

static int me, ues;
static int rows;                   /* how many this UE has */
static double (*grid[2])[COLUMNS]; /* its rows, and one row above and one below them */
static t_vcharp buffer;            /* in the message passing buffer, a row */
/* Of the neighbour above and of the one below: its row is in its buffer; it has taken this UE's row. */
static RCCE_FLAG sent[2], taken[2];

/* Let the x87 round to 53 bits, as other machines do. */
static void round_double(void)
{
    const uint16_t control = 0x27f;
    __asm__ volatile("fldcw %0" ::"m"(control));
}

static void step(double *to, const double *above, const double *row, const double *below)
{
    to[0] = (above[0] + below[0] + row[1]) * 0.25;
    for (int c = 1; c < COLUMNS - 1; c++)
        to[c] = (above[c] + below[c] + row[c - 1] + row[c + 1]) * 0.25;
    to[COLUMNS - 1] = (above[COLUMNS - 1] + below[COLUMNS - 1] + row[COLUMNS - 2]) * 0.25;
}

/* Exchange rows with a neighbour. A flag's value is the iteration's phase, so nobody resets flags; a neighbour cannot
 * be an iteration ahead. A UE sets the flags that its neighbour has for it. */
static void exchange(double (*old)[COLUMNS], int with, RCCE_FLAG_STATUS phase)
{
    int below = with > me;
    if (with < 0 || with == ues)
        return;
    RCCE_put(buffer, (t_vcharp)old[below ? rows : 1], ROW, me);
    RCCE_flag_write(&sent[!below], phase, with);
    RCCE_wait_until(sent[below], phase);
    RCCE_get((t_vcharp)old[below ? rows + 1 : 0], buffer, ROW, with);
    RCCE_flag_write(&taken[!below], phase, with);
    RCCE_wait_until(taken[below], phase);
}

static void iterate(void)
{
    for (int i = 0; i < ITERATIONS; i++) {
        double(*old)[COLUMNS] = grid[i % 2], (*new)[COLUMNS] = grid[1 - i % 2];
        RCCE_FLAG_STATUS phase = i % 2 ? RCCE_FLAG_UNSET : RCCE_FLAG_SET;
        exchange(old, me % 2 ? me - 1 : me + 1, phase);
        exchange(old, me % 2 ? me + 1 : me - 1, phase);
        for (int r = 1; r <= rows; r++)
            step(new[r], old[r - 1], old[r], old[r + 1]);
    }
}

static void add(uint32_t sums[2], const double *row, int n)
{
    const uint32_t *word = (const uint32_t *)row;
    for (int i = 0; i < n * COLUMNS * 2; i++) {
        sums[0] += word[i];
        sums[1] += sums[0];
    }
}

/* Compute Fletcher's sums of the whole grid, with the edges above and below. */
static void sum(uint32_t sums[2])
{
    double(*result)[COLUMNS] = grid[ITERATIONS % 2];
    if (me > 0)
        RCCE_recv((char *)sums, buffer, 32, &taken[0], &sent[0], 2 * sizeof(*sums), me - 1, NULL);
    add(sums, me ? result[1] : result[0], rows + (me == 0) + (me == ues - 1));
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
    rows = (me + 1) * ROWS / ues - me * ROWS / ues;
    for (int i = 0; i < 2; i++)
        if (!(grid[i] = calloc((size_t)rows + 2, ROW))) {
            printf("jacobi: no memory for %d rows\n", rows);
            return 1;
        }
    buffer = RCCE_malloc(ROW);
    for (int i = 0; i < 2; i++)
        if (!buffer || RCCE_flag_alloc(&sent[i]) || RCCE_flag_alloc(&taken[i])) {
            printf("jacobi: no room in the buffer\n");
            return 1;
        }
    for (int i = 0; i < 2 && me == 0; i++)
        for (int c = 0; c < COLUMNS; c++)
            grid[i][0][c] = 1 + c % 17;
    round_double();
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
