/* SPDX-License-Identifier: MIT */
/*
 * stencil.h - Jacobi's iteration for Laplace's equation on a rectangle, as kernel/proof/apps/stencil.c computes it. One
 * row with fixed values is above the inner ones, one of zeros below; values left and right of a row are 0.
 */
#ifndef AMALGAM_NUMERIC_STENCIL_H
#define AMALGAM_NUMERIC_STENCIL_H

#include <stdlib.h>

#include "x87.h"

#define ROWS       480 /* inner ones, at most */
#define COLUMNS    512 /* at most: a page */
#define ITERATIONS 10

/* From a row to the next one, which begins in a line of 32 bytes. */
static inline int row_pitch(int columns) { return (columns + 3) / 4 * 4; }

/* Set the values of the row above the first one. */
static inline void set_edge(double *row, int columns)
{
    for (int c = 0; c < columns; c++)
        row[c] = 1 + c % 17;
}

/* Compute one row of the next iteration, always in the order above, below, left, right. */
static inline void step(double *to, const double *above, const double *row, const double *below, int columns)
{
    to[0] = (above[0] + below[0] + row[1]) * 0.25;
    for (int c = 1; c < columns - 1; c++)
        to[c] = (above[c] + below[c] + row[c - 1] + row[c + 1]) * 0.25;
    to[columns - 1] = (above[columns - 1] + below[columns - 1] + row[columns - 2]) * 0.25;
}

/* Add the words of rows to Fletcher's sums, without what lies between them. */
static inline void add_rows_to_sums(uint32_t sums[2], const double *row, int rows, int columns, int pitch)
{
    for (; rows > 0; rows--, row += pitch)
        add_to_sums(sums, row, (size_t)columns * sizeof(*row));
}

/* Read the numbers of inner rows and columns from a program's arguments; the most if there are none. Returns whether
 * they are in range. */
static inline int read_size(int argc, char **argv, int *rows, int *columns)
{
    *rows = argc > 1 ? atoi(argv[1]) : ROWS;
    *columns = argc > 2 ? atoi(argv[2]) : COLUMNS;
    return *rows >= 1 && *rows <= ROWS && *columns >= 2 && *columns <= COLUMNS;
}

#endif
