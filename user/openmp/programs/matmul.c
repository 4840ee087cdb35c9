/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - a product of two matrices of whole numbers by OpenMP: the same as the first part of
 * user/rcce/programs/apps.c. It prints Fletcher's sums of the result's words.
 *
 * Each thread executes mark 1 before and mark 2 after the product (docs/coherence.md, "Clocks").
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

#define EDGE    144
#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

static double a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE];

static void row_of_product(double *to, const double *row)
{
    for (int k = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++)
            to[j] += row[k] * b[k][j];
}

int main(void)
{
    uint32_t first = 0, second = 0;
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            a[i][j] = (i * 7 + j * 3) % 17;
            b[i][j] = (i * 5 + j * 11) % 13;
        }
#pragma omp parallel
    {
        MARK(1);
#pragma omp for schedule(static)
        for (int i = 0; i < EDGE; i++)
            row_of_product(c[i], a[i]);
        MARK(2);
    }
    const uint32_t *word = (const uint32_t *)c;
    for (size_t i = 0; i < sizeof(c) / sizeof(*word); i++) {
        first += word[i];
        second += first;
    }
    printf("matmul: on %d threads: sums %x %x\n", omp_get_max_threads(), (unsigned)first, (unsigned)second);
    return 0;
}
