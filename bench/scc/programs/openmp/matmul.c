/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - a product of two matrices by OpenMP: the same as the first part of ../rcce/apps.c. It prints
 * Fletcher's sums of the result's words.
 *
 * Each thread executes mark 1 before and mark 2 after the product (docs/coherence.md, "Clocks").
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../../user/numeric/product.h"
#include "../../../../user/numeric/x87.h"
#include "../../../../user/programs/mark.h"

static double a[EDGE][EDGE], b[EDGE][EDGE], c[EDGE][EDGE];

int main(void)
{
    uint32_t sums[2] = { 0 };
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            a[i][j] = value_of_a(i, j);
            b[i][j] = value_of_b(i, j);
        }
#pragma omp parallel
    {
        MARK(1);
#pragma omp for schedule(static)
        for (int i = 0; i < EDGE; i++)
            add_rows(c[i], a[i], b, EDGE);
        MARK(2);
    }
    add_to_sums(sums, c, sizeof(c));
    printf("matmul: on %d threads: sums %x %x\n", omp_get_max_threads(), (unsigned)sums[0], (unsigned)sums[1]);
    return 0;
}
