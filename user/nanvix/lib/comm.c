/* SPDX-License-Identifier: MIT */
/* comm.c - see comm.h. */
#include "comm.h"

#include <string.h>

int comm_new(struct comm *c, unsigned request, int64_t result)
{
    if (result >= COMM_MAX)
        return -EAGAIN;
    if (result < 0)
        return (int)nanvix_result(result);
    memset(&c->of[result], 0, sizeof(c->of[result]));
    comm_count(c, request);
    return (int)result;
}

int comm_gone(struct comm *c, unsigned request, int64_t result)
{
    if (result >= 0)
        comm_count(c, request);
    return (int)nanvix_result(result);
}

void comm_moved(struct comm *c, int id, uint64_t start, size_t size)
{
    __atomic_add_fetch(&c->of[id].latency, amalgam_clock() - start, __ATOMIC_RELAXED);
    __atomic_add_fetch(&c->of[id].volume, size, __ATOMIC_RELAXED);
}

int comm_ioctl(const struct comm *c, int id, unsigned request, unsigned last, void *to)
{
    if (!WITHIN(request, KMAILBOX_IOCTL_GET_VOLUME, last + 1))
        return -ENOTSUP;
    if (!to)
        return -EFAULT;
    if (request == KMAILBOX_IOCTL_GET_VOLUME)
        *(size_t *)to = __atomic_load_n(&c->of[id].volume, __ATOMIC_RELAXED);
    else if (request == KMAILBOX_IOCTL_GET_LATENCY)
        *(uint64_t *)to = __atomic_load_n(&c->of[id].latency, __ATOMIC_RELAXED);
    else
        *(uint64_t *)to = __atomic_load_n(&c->count[request], __ATOMIC_RELAXED);
    return 0;
}
