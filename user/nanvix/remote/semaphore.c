/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - nanvix_semaphore, of which each operation is a call of the master core (amalgam/remote.h): in place of
 * lib/semaphore.c. `val` names it.
 */
#include <nanvix/sys/semaphore.h>

#include "descriptor.h"

int nanvix_semaphore_init(struct nanvix_semaphore *s, int val)
{
    if (!s || !WITHIN(val, 0, NANVIX_SEMAPHORE_MAX + 1))
        return -EINVAL;
    *s = (struct nanvix_semaphore){ 0 };
    return descriptor_make(&s->val, (uint32_t)val, NANVIX_SEMAPHORE_MAX);
}

int nanvix_semaphore_down(struct nanvix_semaphore *s) { return s ? descriptor_down(&s->val) : -EINVAL; }

int nanvix_semaphore_trywait(struct nanvix_semaphore *s)
{
    return s && !amalgam_semaphore_try_down(descriptor_of(&s->val)) ? 0 : -EINVAL;
}

int nanvix_semaphore_up(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    int64_t result = amalgam_semaphore_up(descriptor_of(&s->val));
    return result == -AMALGAM_ENOSPC ? -EOVERFLOW : result ? -EINVAL : 0;
}

int nanvix_semaphore_destroy(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    int64_t result = amalgam_semaphore_close(descriptor_of(&s->val));
    return result == -AMALGAM_EBUSY ? -EBUSY : result ? -EINVAL : 0;
}
