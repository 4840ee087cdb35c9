/* SPDX-License-Identifier: MIT */
/* stencil.h - the numeric part of Jacobi's iteration for Laplace's equation on a rectangle, a row a page (svm_task.c);
 * integers and pointers only cross over. */
#ifndef AMALGAM_TASK_STENCIL_H
#define AMALGAM_TASK_STENCIL_H

#include <types.h>

#define STENCIL_ROWS    480 /* inner ones; one of fixed values above, one below */
#define STENCIL_COLUMNS 512 /* beside them, left and right, all is 0 */

struct stencil_row {
    double at[STENCIL_COLUMNS];
};

/* Values of the row above the first one. */
void stencil_edge(struct stencil_row *row);
/* One row of the next iteration. Always the same order: above, below, left, right. Thread with extended state. */
void stencil_step(struct stencil_row *to, const struct stencil_row *above, const struct stencil_row *row,
                  const struct stencil_row *below);

#endif
