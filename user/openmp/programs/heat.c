/* SPDX-License-Identifier: MIT */
/*
 * heat.c - Jacobi's iteration for Laplace's equation by OpenMP, on 480 x 512 inner points with one row in a page: the
 * same grid as kernel/proof/svm_task.c. It prints Fletcher's sums of the result's words, and the time. `heat 126 126`
 * has so many rows and columns of inner points.
 *
 * Each thread executes mark 1 before and mark 2 after the iterations (docs/coherence.md, "Clocks").
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../numeric/stencil.h"
#include "../../numeric/x87.h"
#include "../../programs/mark.h"

static double grid[2][(ROWS + 2) * COLUMNS] __attribute__((aligned(4096)));

static void iterate(int rows, int columns)
{
    int pitch = row_pitch(columns);
#pragma omp parallel
    {
        MARK(1);
        for (int i = 0; i < ITERATIONS; i++)
#pragma omp for schedule(static)
            for (int r = 1; r <= rows; r++) {
                double *row = &grid[i % 2][r * pitch];
                step(&grid[1 - i % 2][r * pitch], row - pitch, row, row + pitch, columns);
            }
        MARK(2);
    }
}

int main(int argc, char **argv)
{
    uint32_t sums[2] = { 0 };
    int rows, columns;
    if (!read_size(argc, argv, &rows, &columns))
        return 2;
    for (int i = 0; i < 2; i++)
        set_edge(grid[i], columns);
    double start = omp_get_wtime();
    iterate(rows, columns);
    double took = omp_get_wtime() - start;
    add_rows_to_sums(sums, grid[ITERATIONS % 2], rows + 2, columns, row_pitch(columns));
    printf("heat: %d iterations of %d rows on %d threads: sums %x %x\n", ITERATIONS, rows, omp_get_max_threads(),
           (unsigned)sums[0], (unsigned)sums[1]);
    printf("heat: %.0f us\n", took * 1e6);
    return 0;
}
