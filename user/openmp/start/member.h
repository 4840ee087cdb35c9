/* SPDX-License-Identifier: MIT */
/* member.h - which of the program's threads a core has, and its state at the begin. */
#ifndef AMALGAM_USER_OPENMP_MEMBER_H
#define AMALGAM_USER_OPENMP_MEMBER_H

#include <native/calls.h>

struct omp_task;

/* Returns the number of this core's thread, or -1 if it has none, and how many threads the program has. All threads get
 * the same answers. */
int member_find(const struct native_calls *c, int *threads);
/* Begin with the state of one of `threads` threads. `task`, which is zero, is its first and must stay. */
void member_begin(const struct native_calls *c, int thread, int threads, struct omp_task *task);
/* Returns how many arguments behind the program's name say where it runs. */
int member_arguments(const struct native_calls *c);

#endif
