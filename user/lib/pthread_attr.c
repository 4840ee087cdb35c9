/* SPDX-License-Identifier: MIT */
/* pthread_attr.c - the attributes of a new thread, and sched_getcpu(). */
#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>

#include "thread.h"

int pthread_attr_init(pthread_attr_t *attr)
{
    *attr = (pthread_attr_t){ .stack_size = AMALGAM_STACK_DEFAULT, .guard = PAGE };
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    if (size < PTHREAD_STACK_MIN)
        return EINVAL;
    attr->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
    *size = attr->stack_size;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size)
{
    if (size < PTHREAD_STACK_MIN)
        return EINVAL;
    attr->stack = stack;
    attr->stack_size = size;
    return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, size_t *size)
{
    *stack = attr->stack;
    *size = attr->stack_size;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size)
{
    if (size > PAGE)
        return EINVAL;
    attr->guard = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size)
{
    *size = attr->guard;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    attr->detached = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
    *state = attr->detached;
    return 0;
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
    if (size != sizeof(*set) || !set->cores)
        return EINVAL;
    attr->cores = set->cores;
    return 0;
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set)
{
    if (size != sizeof(*set))
        return EINVAL;
    set->cores = attr->cores ? attr->cores : UINT32_MAX;
    return 0;
}

int pthread_getattr_np(pthread_t t, pthread_attr_t *attr)
{
    if (!t->memory || !t->stack_size)
        return ENOTSUP;
    pthread_attr_init(attr);
    attr->stack = t->memory;
    attr->stack_size = t->stack_size;
    attr->detached = __atomic_load_n(&t->fate, __ATOMIC_RELAXED) & THREAD_DETACHED ? PTHREAD_CREATE_DETACHED
                                                                                   : PTHREAD_CREATE_JOINABLE;
    attr->cores = t->cores;
    return 0;
}

int sched_getcpu(void) { return (int)amalgam_info(AMALGAM_INFO_CORE); }
