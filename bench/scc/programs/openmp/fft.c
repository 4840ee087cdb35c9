/* SPDX-License-Identifier: MIT */
/*
 * fft.c - one transform of 192 x 192 points by OpenMP: the same as the second part of ../rcce/apps.c, to the
 * bit. The rows' transforms read the columns where they lie, so there is no transposition. It prints Fletcher's sums of
 * the result's words, and some values.
 *
 * Each thread executes mark 1 before and mark 2 after the transform (docs/coherence.md, "Clocks"). The first thread has
 * made points and twiddles before.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

#include "../../../../user/numeric/transform.h"
#include "../../../../user/numeric/x87.h"
#include "../../../../user/programs/mark.h"

static struct complex x[SIDE][SIDE], twiddle[SIDE][SIDE], y[SIDE][SIDE]; /* the result takes the place of the points */

int main(void)
{
    uint32_t sums[2] = { 0 };
    make_roots();
    for (int c = 0; c < SIDE; c++)
        make_column(x[c], twiddle[c], c);
#pragma omp parallel
    {
        MARK(1);
#pragma omp for schedule(static)
        for (int c = 0; c < SIDE; c++)
            transform_column(y[c], x[c], twiddle[c]);
#pragma omp for schedule(static)
        for (int k = 0; k < SIDE; k++)
            transform(x[k], &y[0][k], SIDE, SIDE);
        MARK(2);
    }
    add_to_sums(sums, x, sizeof(x));
    printf("fft: on %d threads: sums %x %x\n", omp_get_max_threads(), (unsigned)sums[0], (unsigned)sums[1]);
    print_values(x[0]);
    return 0;
}
