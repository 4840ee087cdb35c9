/* SPDX-License-Identifier: MIT */
/* mutex_attr.c - attributes of nanvix_mutex. */
#include <nanvix/sys/mutex.h>

#include "nanvix.h"

int nanvix_mutexattr_init(struct nanvix_mutexattr *attr)
{
    if (!attr)
        return -EINVAL;
    attr->type = NANVIX_MUTEX_DEFAULT;
    return 0;
}

int nanvix_mutexattr_destroy(struct nanvix_mutexattr *attr) { return attr ? 0 : -EINVAL; }

int nanvix_mutexattr_settype(struct nanvix_mutexattr *attr, int type)
{
    if (!attr || !WITHIN(type, 0, NANVIX_MUTEX_LIMIT))
        return -EINVAL;
    attr->type = type;
    return 0;
}

int nanvix_mutexattr_gettype(struct nanvix_mutexattr *attr) { return attr ? attr->type : -EINVAL; }
