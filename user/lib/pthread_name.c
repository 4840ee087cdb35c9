/* SPDX-License-Identifier: MIT */
/* pthread_name.c - names of threads, for the program itself. Each is a variable of its thread, which is found from any
 * other one because it lies at the same distance from every thread pointer. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "thread.h"

static _Thread_local char own_name[PTHREAD_NAME_MAX];

static char *name_of(pthread_t t)
{
    return (char *)thread_pointer(t) + (own_name - (char *)thread_pointer(thread_self()));
}

int pthread_setname_np(pthread_t t, const char *name)
{
    if (strlen(name) >= PTHREAD_NAME_MAX)
        return ERANGE;
    strcpy(name_of(t), name);
    return 0;
}

int pthread_getname_np(pthread_t t, char *name, size_t size)
{
    if (size < PTHREAD_NAME_MAX)
        return ERANGE;
    strcpy(name, name_of(t));
    return 0;
}
