/* SPDX-License-Identifier: MIT */
/* task.h - groups of tasks, which task.c and reduction.c share. */
#ifndef AMALGAM_USER_OPENMP_TASK_H
#define AMALGAM_USER_OPENMP_TASK_H

#include "openmp.h"

struct omp_group {
    struct omp_group *outer;
    u32 tasks;             /* that have not ended */
    bool cancelled;        /* its tasks that have not begun are dropped */
    uintptr_t *reductions; /* its clauses, the last one first (reduction.c) */
};

/* Cancel the group of this task. */
void omp_group_cancel(void);
/* Returns whether the group of this task, or one around it, was cancelled. */
bool omp_group_is_cancelled(void);
/* The group of this task reduces the variables of a clause: give each thread copies. */
void GOMP_taskgroup_reduction_register(uintptr_t *clause);

#endif
