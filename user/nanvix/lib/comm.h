/* SPDX-License-Identifier: MIT */
/*
 * comm.h - what the mailboxes, portals and syncs of this library share: the counts for ioctl, of the process and of
 * each descriptor, which the kernel does not keep; and the wait for a descriptor that another thread uses.
 */
#ifndef AMALGAM_NANVIX_COMM_H
#define AMALGAM_NANVIX_COMM_H

#include <amalgam/clusters.h>

#include "nanvix.h"

#define COMM_MAX      64 /* descriptors of each kind */
#define COMM_REQUESTS 11

struct comm {
    uint32_t lock;                 /* guards counts on processors that cannot add 64 bits atomically */
    uint64_t count[COMM_REQUESTS]; /* counts for the requests from 3 on */
    struct {
        size_t volume;
        uint64_t latency; /* nanoseconds in calls that move data or wait */
    } of[COMM_MAX];
};

static inline bool comm_is_id(int id) { return WITHIN(id, 0, COMM_MAX); }

/* Returns whether a call is to be made again: another thread uses the descriptor, or the thread has handled a signal,
 * which ends no wait of Nanvix. `turn`: how often it was. */
static inline bool comm_again(int64_t result, unsigned turn)
{
    if (result != -AMALGAM_EBUSY && result != -AMALGAM_EINTR)
        return false;
    nanvix_relax(turn);
    return true;
}

/* Make a call again as long as a signal ends it, which ends no wait of Nanvix. Returns its result. */
#define COMM_WHOLE(call)                                                                                               \
    ({                                                                                                                 \
        int64_t result_;                                                                                               \
        do                                                                                                             \
            result_ = (call);                                                                                          \
        while (result_ == -AMALGAM_EINTR);                                                                             \
        result_;                                                                                                       \
    })

/* Count one request of that kind. */
void comm_count(struct comm *c, unsigned request);
/* The same for `n` of them. */
void comm_count_all(struct comm *c, unsigned request, size_t n);
/* Count a new descriptor, unless the kernel's `result` is an error. Returns the descriptor or Nanvix' error. */
int comm_new(struct comm *c, unsigned request, int64_t result);
/* The same for a descriptor that was freed. */
int comm_gone(struct comm *c, unsigned request, int64_t result);
/* Count `size` bytes that a call on `id` moved, and the time since `start`. */
void comm_moved(struct comm *c, int id, uint64_t start, size_t size);
/* Store the value of a request in *to; `last` is the highest request. */
int comm_ioctl(struct comm *c, int id, unsigned request, unsigned last, void *to);

#endif
