/* SPDX-License-Identifier: MIT */
/* shared.h - the attribute of objects that says whether processes share them. It is kept and changes nothing: all
 * threads that reach an object are the process's. */
#ifndef AMALGAM_USER_SHARED_H
#define AMALGAM_USER_SHARED_H

#include <errno.h>
#include <pthread.h>

static inline int shared_set(int *kept, int value)
{
    if (value != PTHREAD_PROCESS_PRIVATE && value != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    *kept = value;
    return 0;
}

#endif
