/* SPDX-License-Identifier: MIT */
/* time.h - picolibc's, timespec_get() of C11, and POSIX' CLOCKS_PER_SEC (picolibc has 1000). */
#ifndef AMALGAM_TIME_H
#define AMALGAM_TIME_H

#include_next <time.h>

#define TIME_UTC 1

#undef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC 1000000

#ifdef __cplusplus
extern "C" {
#endif
int timespec_get(struct timespec *now, int base);
#ifdef __cplusplus
}
#endif
#endif
