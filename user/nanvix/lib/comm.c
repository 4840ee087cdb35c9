/* SPDX-License-Identifier: MIT */
/* comm.c - see comm.h. */
#include "comm.h"

#include <string.h>

#define AT_ONCE __atomic_always_lock_free(sizeof(uint64_t), 0)

/* Add to a count to which other threads add, too. Returns its value. */
static uint64_t add(struct comm *c, uint64_t *count, uint64_t n)
{
    if (AT_ONCE)
        return __atomic_add_fetch(count, n, __ATOMIC_RELAXED);
    nanvix_lock_take(&c->lock);
    uint64_t now = *count += n;
    nanvix_lock_drop(&c->lock);
    return now;
}

void comm_count_all(struct comm *c, unsigned request, size_t n) { add(c, &c->count[request], n); }
void comm_count(struct comm *c, unsigned request) { comm_count_all(c, request, 1); }

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
    add(c, &c->of[id].latency, amalgam_clock() - start);
    __atomic_add_fetch(&c->of[id].volume, size, __ATOMIC_RELAXED);
}

int comm_ioctl(struct comm *c, int id, unsigned request, unsigned last, void *to)
{
    if (!WITHIN(request, KMAILBOX_IOCTL_GET_VOLUME, last + 1))
        return -ENOTSUP;
    if (!to)
        return -EFAULT;
    if (request == KMAILBOX_IOCTL_GET_VOLUME)
        *(size_t *)to = __atomic_load_n(&c->of[id].volume, __ATOMIC_RELAXED);
    else if (request == KMAILBOX_IOCTL_GET_LATENCY)
        *(uint64_t *)to = add(c, &c->of[id].latency, 0);
    else
        *(uint64_t *)to = add(c, &c->count[request], 0);
    return 0;
}
