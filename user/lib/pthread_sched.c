/* SPDX-License-Identifier: MIT */
/* pthread_sched.c - of priorities: there is one, and one policy. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#define PRIORITY 0

static bool is_policy(int policy) { return policy == SCHED_OTHER || policy == SCHED_FIFO || policy == SCHED_RR; }

static int fail(int error)
{
    errno = error;
    return -1;
}

int sched_get_priority_min(int policy) { return is_policy(policy) ? PRIORITY : fail(EINVAL); }
int sched_get_priority_max(int policy) { return sched_get_priority_min(policy); }
int sched_getscheduler(pid_t pid) { return pid == 0 || pid == getpid() ? SCHED_OTHER : fail(ESRCH); }

int sched_getparam(pid_t pid, struct sched_param *parameters)
{
    if (sched_getscheduler(pid) < 0)
        return -1;
    parameters->sched_priority = PRIORITY;
    return 0;
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
    (void)thread;
    *policy = SCHED_OTHER;
    parameters->sched_priority = PRIORITY;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters)
{
    (void)thread;
    if (!is_policy(policy))
        return EINVAL;
    return policy == SCHED_OTHER && parameters->sched_priority == PRIORITY ? 0 : ENOTSUP;
}

int pthread_setschedprio(pthread_t thread, int priority)
{
    (void)thread;
    return priority == PRIORITY ? 0 : EINVAL;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
    (void)attr;
    return policy == SCHED_OTHER ? 0 : is_policy(policy) ? ENOTSUP : EINVAL;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy)
{
    (void)attr;
    *policy = SCHED_OTHER;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *parameters)
{
    (void)attr;
    return parameters->sched_priority == PRIORITY ? 0 : ENOTSUP;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *parameters)
{
    (void)attr;
    parameters->sched_priority = PRIORITY;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
    if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)
        return EINVAL;
    attr->inherit = inherit;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit)
{
    *inherit = attr->inherit;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
    (void)attr;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope)
{
    (void)attr;
    *scope = PTHREAD_SCOPE_SYSTEM;
    return 0;
}
