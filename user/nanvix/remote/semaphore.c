/* SPDX-License-Identifier: MIT */
/*
 * semaphore.c - nanvix_semaphore, of which each operation is a call of the master core (amalgam/remote.h): in place of
 * lib/semaphore.c. `val` is its descriptor, + 1, so that one that was not made is none.
 */
#include <amalgam/remote.h>
#include <nanvix/sys/semaphore.h>

#include "../lib/nanvix.h"

static unsigned id_of(const struct nanvix_semaphore *s) { return (s->val - 1) & 0xffff; }

int nanvix_semaphore_init(struct nanvix_semaphore *s, int val)
{
    if (!s || !WITHIN(val, 0, NANVIX_SEMAPHORE_MAX + 1))
        return -EINVAL;
    int64_t id = amalgam_semaphore_create((uint32_t)val, NANVIX_SEMAPHORE_MAX);
    *s = (struct nanvix_semaphore){ .val = id < 0 ? 0 : (uint32_t)id + 1 };
    return id < 0 ? (int)nanvix_result(id) : 0;
}

int nanvix_semaphore_down(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    int64_t result;
    while ((result = amalgam_semaphore_down(id_of(s))) == -AMALGAM_EINTR)
        ;
    return result ? -EINVAL : 0;
}

int nanvix_semaphore_trywait(struct nanvix_semaphore *s)
{
    return s && !amalgam_semaphore_try_down(id_of(s)) ? 0 : -EINVAL;
}

int nanvix_semaphore_up(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    int64_t result = amalgam_semaphore_up(id_of(s));
    return result == -AMALGAM_ENOSPC ? -EOVERFLOW : result ? -EINVAL : 0;
}

int nanvix_semaphore_destroy(struct nanvix_semaphore *s)
{
    if (!s)
        return -EINVAL;
    int64_t result = amalgam_semaphore_close(id_of(s));
    return result == -AMALGAM_EBUSY ? -EBUSY : result ? -EINVAL : 0;
}
