/* SPDX-License-Identifier: MIT */
/* product.h - C = A B of whole numbers: exact, in whatever order the terms are added. */
#ifndef AMALGAM_NUMERIC_PRODUCT_H
#define AMALGAM_NUMERIC_PRODUCT_H

#define EDGE 144 /* of a matrix */

static inline double value_of_a(int row, int column) { return (row * 7 + column * 3) % 17; }
static inline double value_of_b(int row, int column) { return (row * 5 + column * 11) % 13; }

/* Add to a row of C: some rows of B, each by the factor that A's row has for it. No function that calls it may take
 * registers from its loop, which is then as long in each program. */
static __attribute__((noinline)) void add_rows(double *to, const double *factors, double (*b)[EDGE], int rows)
{
    for (int k = 0; k < rows; k++) {
        double factor = factors[k];
        for (int j = 0; j < EDGE; j++)
            to[j] += factor * b[k][j];
    }
}

#endif
