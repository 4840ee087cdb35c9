/* SPDX-License-Identifier: MIT */
/* loop.h - descriptions of loops and their chunks, which loop.c, generic.c and doacross.c share. */
#ifndef AMALGAM_USER_OPENMP_LOOP_H
#define AMALGAM_USER_OPENMP_LOOP_H

#include "openmp.h"

typedef unsigned long long ull;

/* Describe a loop. `schedule` is one of enum omp_schedule but SCHEDULE_AUTO, with flags; `chunk` 0: the usual size. */
struct omp_work omp_loop(s64 start, s64 end, s64 step, u32 schedule, u64 chunk);
/* Describe a loop with the schedule that omp_set_schedule() set; `auto` is static. `flags` is added to it. */
struct omp_work omp_loop_runtime(s64 start, s64 end, s64 step, u32 flags);
/* Get this thread's next chunk, as values of the loop's variable. Returns false if there is none. */
bool omp_loop_next(long *from, long *to);
bool omp_loop_next_ull(ull *from, ull *to);

/* generic.c: describe a loop whose schedule the compiler gives, 0 for that of omp_set_schedule(). */
struct omp_work omp_loop_scheduled(s64 start, s64 end, s64 step, long schedule, u64 chunk, u32 flags);
/* Enter the team's next construct. `clause`, if not NULL, is of reductions of tasks; *memory, if not NULL, is the
 * number of bytes that the team shall share, and becomes their address. */
void omp_work_enter_with(struct omp_work *w, uintptr_t *clause, void **memory);

#endif
