/* SPDX-License-Identifier: MIT */
/* mutex_attr.c - the attributes of mutexes. All threads have one priority, so every protocol of priorities holds as it
 * is, and the only ceiling is that priority. */
#include <errno.h>
#include <pthread.h>

#include "shared.h"

#define PRIORITY 0

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
    *attr = (pthread_mutexattr_t){ PTHREAD_MUTEX_DEFAULT, PTHREAD_PROCESS_PRIVATE, PTHREAD_PRIO_NONE,
                                   PTHREAD_MUTEX_STALLED };
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind)
{
    if (kind < PTHREAD_MUTEX_NORMAL || kind > PTHREAD_MUTEX_RECURSIVE)
        return EINVAL;
    attr->kind = (uint32_t)kind;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind)
{
    *kind = (int)attr->kind;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared) { return shared_set(&attr->shared, shared); }

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared)
{
    *shared = attr->shared;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    if (protocol < PTHREAD_PRIO_NONE || protocol > PTHREAD_PRIO_PROTECT)
        return ENOTSUP;
    attr->protocol = protocol;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol)
{
    *protocol = attr->protocol;
    return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling)
{
    (void)attr;
    return ceiling == PRIORITY ? 0 : EINVAL;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling)
{
    (void)attr;
    *ceiling = PRIORITY;
    return 0;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *m, int ceiling, int *old)
{
    (void)m;
    if (ceiling != PRIORITY)
        return EINVAL;
    if (old)
        *old = PRIORITY;
    return 0;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *m, int *ceiling)
{
    (void)m;
    *ceiling = PRIORITY;
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust)
{
    *robust = attr->robust;
    return 0;
}
