/* SPDX-License-Identifier: MIT */
/* cond_attr.c - the attributes of conditions. */
#include <errno.h>
#include <pthread.h>

#include "shared.h"

int pthread_condattr_init(pthread_condattr_t *attr)
{
    *attr = (pthread_condattr_t){ PTHREAD_PROCESS_PRIVATE, CLOCK_REALTIME };
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared) { return shared_set(&attr->shared, shared); }

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared)
{
    *shared = attr->shared;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    attr->clock = clock;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock)
{
    *clock = attr->clock;
    return 0;
}
