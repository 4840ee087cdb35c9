/* SPDX-License-Identifier: MIT */
/* member.h - which of the program's threads a core has. */
#ifndef AMALGAM_USER_OPENMP_MEMBER_H
#define AMALGAM_USER_OPENMP_MEMBER_H

#include <native/calls.h>

/* Returns the number of this core's thread, or -1 if it has none, and how many threads the program has. All threads get
 * the same answers. */
int member_find(const struct native_calls *c, int *threads);
/* Returns how many arguments behind the program's name say where it runs. */
int member_arguments(const struct native_calls *c);

#endif
