/* SPDX-License-Identifier: MIT */
/* sync.c - ksync_* by the calls sync_*, and barriers made of two syncs. */
#include <nanvix/runtime/barrier.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/sync.h>

#include "comm.h"

static struct comm syncs;
static int users[COMM_MAX]; /* how often a descriptor was created or opened and not freed */

void ksync_init(void) {}

static bool is_list(const int *nodes, int n, int type)
{
    return nodes && n >= 2 && (type == SYNC_ONE_TO_ALL || type == SYNC_ALL_TO_ONE);
}

static int given(int id)
{
    if (id >= 0)
        __atomic_add_fetch(&users[id], 1, __ATOMIC_RELAXED);
    return id;
}

int ksync_create(const int *nodes, int nnodes, int type)
{
    if (!is_list(nodes, nnodes, type))
        return -EINVAL;
    int64_t result = amalgam_sync_create(nodes, (unsigned)nnodes, (enum amalgam_sync_create)type);
    return given(comm_new(&syncs, KSYNC_IOCTL_GET_NCREATES, result));
}

int ksync_open(const int *nodes, int nnodes, int type)
{
    if (!is_list(nodes, nnodes, type))
        return -EINVAL;
    int64_t result = amalgam_sync_open(nodes, (unsigned)nnodes, (enum amalgam_sync_open)type);
    return given(comm_new(&syncs, KSYNC_IOCTL_GET_NOPENS, result));
}

static int give_back(int id, unsigned request, enum amalgam_sync_close type)
{
    if (!comm_is_id(id))
        return -EINVAL;
    int result = comm_gone(&syncs, request, amalgam_sync_close((unsigned)id, type));
    if (!result)
        __atomic_sub_fetch(&users[id], 1, __ATOMIC_RELAXED);
    return result;
}

int ksync_unlink(int id) { return give_back(id, KSYNC_IOCTL_GET_NUNLINKS, AMALGAM_SYNC_CLOSE_UNLINK); }
int ksync_close(int id) { return give_back(id, KSYNC_IOCTL_GET_NCLOSES, AMALGAM_SYNC_CLOSE_CLOSE); }

/* Note that a call on `id`, begun at time `start`, returned `result`. Returns 0 or Nanvix' error. */
static int done(int id, uint64_t start, unsigned request, int64_t result)
{
    if (result >= 0) {
        comm_count(&syncs, request);
        comm_moved(&syncs, id, start, 0);
    }
    return (int)nanvix_result(result);
}

int ksync_wait(int id)
{
    uint64_t start = amalgam_clock();
    if (!comm_is_id(id))
        return -EINVAL;
    return done(id, start, KSYNC_IOCTL_GET_NWAITS, COMM_WHOLE(amalgam_sync_wait((unsigned)id)));
}

int ksync_signal(int id)
{
    uint64_t start = amalgam_clock();
    if (!comm_is_id(id))
        return -EINVAL;
    return done(id, start, KSYNC_IOCTL_GET_NSIGNALS, COMM_WHOLE(amalgam_sync_signal((unsigned)id)));
}

int ksync_ioctl(int id, unsigned request, ...)
{
    bool known = request == KSYNC_IOCTL_GET_NWAITS || request == KSYNC_IOCTL_GET_NSIGNALS ||
                 WITHIN(request, KSYNC_IOCTL_GET_LATENCY, KSYNC_IOCTL_GET_NCLOSES + 1);
    if (!comm_is_id(id))
        return -EINVAL;
    if (__atomic_load_n(&users[id], __ATOMIC_RELAXED) <= 0)
        return -EBADF;
    if (!known)
        return -ENOTSUP;
    va_list more;
    va_start(more, request);
    int error = comm_ioctl(&syncs, id, request, KSYNC_IOCTL_GET_NSIGNALS, va_arg(more, void *));
    va_end(more);
    return error;
}

/* --- barriers --------------------------------------------------------------------------------------------------- */

int barrier_destroy(barrier_t b)
{
    bool leads = knode_get_num() == b.leader;
    int gather = leads ? ksync_unlink(b.syncs[0]) : ksync_close(b.syncs[0]);
    int release = leads ? ksync_close(b.syncs[1]) : ksync_unlink(b.syncs[1]);
    return gather < 0 ? gather : release;
}

barrier_t barrier_create(const int *nodes, int nnodes)
{
    if (!is_list(nodes, nnodes, SYNC_ALL_TO_ONE))
        return BARRIER_NULL;
    barrier_t b = { nodes[0], { -1, -1 } };
    bool leads = knode_get_num() == b.leader;
    b.syncs[0] = leads ? ksync_create(nodes, nnodes, SYNC_ALL_TO_ONE) : ksync_open(nodes, nnodes, SYNC_ALL_TO_ONE);
    if (b.syncs[0] >= 0)
        b.syncs[1] = leads ? ksync_open(nodes, nnodes, SYNC_ONE_TO_ALL) : ksync_create(nodes, nnodes, SYNC_ONE_TO_ALL);
    if (BARRIER_IS_VALID(b))
        return b;
    if (b.syncs[0] >= 0)
        barrier_destroy(b);
    return BARRIER_NULL;
}

int barrier_wait(barrier_t b)
{
    bool leads = knode_get_num() == b.leader;
    int error = leads ? ksync_wait(b.syncs[0]) : ksync_signal(b.syncs[0]);
    if (error < 0)
        return error;
    return leads ? ksync_signal(b.syncs[1]) : ksync_wait(b.syncs[1]);
}
