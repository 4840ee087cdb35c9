/* SPDX-License-Identifier: MIT */
/*
 * cancel.c - `cancel` and `cancellation point` with OMP_CANCELLATION as it is when nobody sets it: false. A program of
 * this runtime has no environment, so nothing is cancelled, and both do nothing (OpenMP 5.0, 2.18.1).
 */
#include "openmp.h"

bool GOMP_cancel(int which, bool wanted);
bool GOMP_cancellation_point(int which);
int omp_get_cancellation(void);

bool GOMP_cancel(int which, bool wanted)
{
    (void)which, (void)wanted;
    return false;
}

bool GOMP_cancellation_point(int which)
{
    (void)which;
    return false;
}

int omp_get_cancellation(void) { return 0; }
