/* SPDX-License-Identifier: MIT */
/*
 * stencil.c - `stencil [ROWS COLUMNS]`: Jacobi's iteration (../../numeric/stencil.h) on lazy pages that all UEs share,
 * some of which may be programs of a Linux (../process/lazy.h). UE 0 says how large the grid is, and sets its edge.
 * Each UE has a band of rows, and reads the rows next to it where their owners wrote them. UE 0 compares the result
 * with its own, word by word.
 */
#include <RCCE.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../numeric/stencil.h"
#include "../../numeric/x87.h"
#include "../process/lazy.h"

static int me, ues, rows, columns, pitch;

static double *row(double *grid, int r) { return grid + r * pitch; }

static void iterate(double *old, double *new, int from, int end)
{
    for (int r = from; r < end; r++)
        step(row(new, r), row(old, r - 1), row(old, r), row(old, r + 1), columns);
}

/* Wait for all UEs; what each has written all see then. */
static void meet(void)
{
    lazy_release();
    RCCE_barrier(&RCCE_COMM_WORLD);
    lazy_acquire();
}

/* Returns how many words of the result are not what one UE computes alone; -1: it has no memory. */
static int compare(const double *result, size_t bytes)
{
    double *own = calloc(2, bytes);
    int wrong = 0;
    if (!own)
        return -1;
    double *grid[2] = { own, own + bytes / sizeof(*own) };
    for (int i = 0; i < 2; i++)
        set_edge(grid[i], columns);
    for (int i = 0; i < ITERATIONS; i++)
        iterate(grid[i % 2], grid[1 - i % 2], 1, rows + 1);
    const uint32_t *a = (const uint32_t *)result, *b = (const uint32_t *)grid[ITERATIONS % 2];
    for (size_t i = 0; i < bytes / sizeof(*a); i++)
        wrong += a[i] != b[i];
    free(own);
    return wrong;
}

/* Returns whether the arguments of UE 0 are right. */
static int agree(int argc, char **argv)
{
    int size[2] = { 0, 0 };
    if (me == 0 && !read_size(argc, argv, &size[0], &size[1]))
        size[0] = 0;
    RCCE_bcast((char *)size, sizeof(size), 0, RCCE_COMM_WORLD);
    rows = size[0];
    columns = size[1];
    pitch = row_pitch(columns);
    return rows > 0 && rows <= ROWS && columns >= 2 && columns <= COLUMNS;
}

static void compute(double *grid[2], size_t bytes)
{
    uint32_t sums[2] = { 0 };
    for (int i = 0; i < 2 && me == 0; i++)
        set_edge(grid[i], columns);
    meet();
    double start = RCCE_wtime();
    for (int i = 0; i < ITERATIONS; i++) {
        iterate(grid[i % 2], grid[1 - i % 2], me * rows / ues + 1, (me + 1) * rows / ues + 1);
        meet();
    }
    if (me)
        return;
    double took = RCCE_wtime() - start;
    add_rows_to_sums(sums, grid[ITERATIONS % 2], rows + 2, columns, pitch);
    printf("stencil: %d iterations of %d rows on %d UEs: sums %x %x, %d words differ\nstencil: %.0f us\n", ITERATIONS,
           rows, ues, (unsigned)sums[0], (unsigned)sums[1], compare(grid[ITERATIONS % 2], bytes), took * 1e6);
}

int RCCE_APP(int argc, char **argv)
{
    if (RCCE_init(&argc, &argv))
        return 1;
    me = RCCE_ue();
    ues = RCCE_num_ues();
    int right = agree(argc, argv);
    size_t bytes = (size_t)(rows + 2) * (size_t)pitch * sizeof(double);
    double *grid = right ? lazy_alloc(2 * bytes) : NULL;
    round_to_53_bits();
    if (grid) {
        compute((double *[2]){ grid, grid + bytes / sizeof(*grid) }, bytes);
        lazy_free(grid, 2 * bytes);
    } else if (me == 0) {
        puts(right ? "stencil: no room: give the process more 'svm'" : "stencil: arguments: stencil [ROWS COLUMNS]");
    }
    RCCE_finalize();
    return 0;
}
