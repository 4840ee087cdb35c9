/* SPDX-License-Identifier: MIT */
/* clock.c - the time of native programs, and sleep: other threads of the core run meanwhile. */
#include <sys/time.h>
#include <unistd.h>

#include "runtime.h"

int gettimeofday(struct timeval *time, void *zone)
{
    double now = native_seconds();
    (void)zone;
    time->tv_sec = (time_t)now;
    time->tv_usec = (suseconds_t)((now - (double)time->tv_sec) * 1e6);
    return 0;
}

int usleep(useconds_t us)
{
    for (double end = native_seconds() + us * 1e-6; native_seconds() < end;)
        native_rest();
    return 0;
}

unsigned sleep(unsigned s)
{
    while (s--)
        usleep(1000000);
    return 0;
}
