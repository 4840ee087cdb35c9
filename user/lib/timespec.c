/* SPDX-License-Identifier: MIT */
/* timespec.c - timespec_get() of C11: the time of CLOCK_REALTIME. */
#include <time.h>

int timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
}
