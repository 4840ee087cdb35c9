/* SPDX-License-Identifier: MIT */
/*
 * heat.c - Jacobi's iteration for Laplace's equation by OpenMP, on 480 x 512 inner points with one row in a page: the
 * same grid as kernel/task/svm_task.c. It prints Fletcher's sums of the result's words, and the time. `heat 48` has 48
 * rows.
 *
 * Each thread executes mark 1 before and mark 2 after the iterations (docs/coherence.md, "Clocks").
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS       480
#define COLUMNS    512
#define ITERATIONS 10
#define MARK(n)    __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

static double grid[2][ROWS + 2][COLUMNS] __attribute__((aligned(4096)));

static void step(double *to, const double *above, const double *row, const double *below)
{
    to[0] = (above[0] + below[0] + row[1]) * 0.25;
    for (int c = 1; c < COLUMNS - 1; c++)
        to[c] = (above[c] + below[c] + row[c - 1] + row[c + 1]) * 0.25;
    to[COLUMNS - 1] = (above[COLUMNS - 1] + below[COLUMNS - 1] + row[COLUMNS - 2]) * 0.25;
}

static void iterate(int rows)
{
#pragma omp parallel
    {
        MARK(1);
        for (int i = 0; i < ITERATIONS; i++)
#pragma omp for schedule(static)
            for (int r = 1; r <= rows; r++)
                step(grid[1 - i % 2][r], grid[i % 2][r - 1], grid[i % 2][r], grid[i % 2][r + 1]);
        MARK(2);
    }
}

int main(int argc, char **argv)
{
    uint32_t first = 0, second = 0;
    int rows = argc > 1 ? atoi(argv[1]) : ROWS;
    if (rows < 0 || rows > ROWS)
        return 2;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < COLUMNS; c++)
            grid[i][0][c] = 1 + c % 17;
    double start = omp_get_wtime();
    iterate(rows);
    double took = omp_get_wtime() - start;
    const uint32_t *word = (const uint32_t *)grid[ITERATIONS % 2], *end = word + (ROWS + 2) * COLUMNS * 2;
    for (; word < end; word++) {
        first += *word;
        second += first;
    }
    printf("heat: %d iterations of %d rows on %d threads: sums %x %x\n", ITERATIONS, rows, omp_get_max_threads(),
           (unsigned)first, (unsigned)second);
    printf("heat: %.0f us\n", took * 1e6);
    return 0;
}
