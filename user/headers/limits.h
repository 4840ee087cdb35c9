/* SPDX-License-Identifier: MIT */
/* limits.h - picolibc's, and what of POSIX it lacks. */
#include_next <limits.h>

#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif

#define PTHREAD_KEYS_MAX              128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
