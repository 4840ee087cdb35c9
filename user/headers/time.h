/* SPDX-License-Identifier: MIT */
/* time.h - picolibc's, and timespec_get() of C11. */
#ifndef AMALGAM_TIME_H
#define AMALGAM_TIME_H

#include_next <time.h>

#define TIME_UTC 1

#ifdef __cplusplus
extern "C" {
#endif
int timespec_get(struct timespec *now, int base);
#ifdef __cplusplus
}
#endif
#endif
