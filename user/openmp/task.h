/* SPDX-License-Identifier: MIT */
/* task.h - groups of tasks, and how tasks are made and run: what task.c, task_calls.c, taskloop.c and reduction.c
 * share.
 */
#ifndef AMALGAM_USER_OPENMP_TASK_H
#define AMALGAM_USER_OPENMP_TASK_H

#include "openmp.h"

#define FINAL 2u /* gcc's flag (gomp-constants.h) */

typedef void omp_function(void *data);
typedef void omp_copier(void *to, void *from);

struct omp_group {
    struct omp_group *outer;
    u32 tasks;             /* that have not ended */
    bool cancelled;        /* its tasks that have not begun are dropped */
    uintptr_t *reductions; /* its clauses, the last one first (reduction.c) */
};

/* Make a task with a copy of its data. It is in no list yet. `event`, if not NULL, gets the task as a handle, which the
 * compiler also wants in the first word of the data. */
struct omp_task *omp_task_create(omp_function *fn, void *data, omp_copier *copy, long size, long align, bool final,
                                 uintptr_t *event);
/* Put the task into the list, or run it now. */
void omp_task_start(struct omp_task *t, bool now);
/* Tasks by what they are to the one that this thread runs: its children; those of them that do not only wait for
 * events; of its group; of its team of one; of the team that has more threads. */
enum omp_kin { CHILDREN, BUSY_CHILDREN, GROUP, REGION, TEAM };
/* Run tasks until none of these is left; not TEAM. */
void omp_tasks_run(enum omp_kin kin);
/* Cancel the group of this task. */
void omp_group_cancel(void);
/* Returns whether the group of this task, or one around it, was cancelled. */
bool omp_group_is_cancelled(void);
/* The group of this task reduces the variables of a clause: give each thread copies. */
void GOMP_taskgroup_reduction_register(uintptr_t *clause);

#endif
