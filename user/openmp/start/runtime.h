/* SPDX-License-Identifier: MIT */
/* runtime.h - what user/native/ asks of a library; this one is OpenMP's. */
#ifndef AMALGAM_USER_OPENMP_RUNTIME_H
#define AMALGAM_USER_OPENMP_RUNTIME_H

#include "../openmp.h"

#define NATIVE_OWN   __thread         /* a variable of each thread */
#define NATIVE_CALLS (omp_self.calls) /* the kernel's functions for the calling thread */

double omp_get_wtime(void);

/* Return the time / let others run. */
static inline double native_seconds(void) { return omp_get_wtime(); }
static inline void native_rest(void) { omp_rest(); }

#endif
