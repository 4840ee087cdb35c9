/* SPDX-License-Identifier: MIT */
/* stencil.h - the numeric part of Jacobi's iteration for Laplace's equation on a rectangle, with a row in each page
 * (svm_task.c). Its functions take integers and pointers only. */
#ifndef AMALGAM_TASK_STENCIL_H
#define AMALGAM_TASK_STENCIL_H

#include <types.h>

#define STENCIL_ROWS    480 /* inner rows; one with fixed values is above, one below */
#define STENCIL_COLUMNS 512 /* values left and right of a row are 0 */

struct stencil_row {
    double at[STENCIL_COLUMNS];
};

/* Set the values of the row above the first one. */
void stencil_edge(struct stencil_row *row);
/* Compute one row of the next iteration, always in the order above, below, left, right. Thread with extended state. */
void stencil_step(struct stencil_row *to, const struct stencil_row *above, const struct stencil_row *row,
                  const struct stencil_row *below);

#endif
