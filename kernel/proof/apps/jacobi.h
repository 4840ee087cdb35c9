/* SPDX-License-Identifier: MIT */
/* jacobi.h - the numeric part of the Jacobi task. It is compiled with vector instructions, so its functions take and
 * return integers only. */
#ifndef AMALGAM_TASK_JACOBI_H
#define AMALGAM_TASK_JACOBI_H

#include <types.h>

#define JACOBI_N 128

struct jacobi {
    double b[JACOBI_N], x[JACOBI_N], next[JACOBI_N];
    double a[JACOBI_N][JACOBI_N];
};

/* Set up a diagonally dominant system with the solution x[i] = i + 1. */
void jacobi_setup(struct jacobi *j);
/* Make one iteration. Returns true when no component moved by more than 1e-9. Thread with extended state. */
bool jacobi_step(struct jacobi *j);
/* Returns the largest distance from the known solution, in 1e-9. */
u64 jacobi_error_e9(const struct jacobi *j);

#endif
