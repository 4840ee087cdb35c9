/* SPDX-License-Identifier: MIT */
/*
 * comm.h - what mailboxes, portals and syncs of this library share: counts for ioctl, of the process and a descriptor,
 * which the kernel does not keep, and starting what another thread has in use.
 */
#ifndef AMALGAM_NANVIX_COMM_H
#define AMALGAM_NANVIX_COMM_H

#include <amalgam/clusters.h>

#include "nanvix.h"

#define COMM_MAX      64 /* descriptors of a kind */
#define COMM_REQUESTS 11

struct comm {
    uint32_t lock;                 /* of counts, where a processor does not add 64 bits at once */
    uint64_t count[COMM_REQUESTS]; /* of requests from 3 on */
    struct {
        size_t volume;
        uint64_t latency; /* ns in calls that move data or wait */
    } of[COMM_MAX];
};

static inline bool comm_is_id(int id) { return WITHIN(id, 0, COMM_MAX); }

/* One more request of that kind. */
void comm_count(struct comm *c, unsigned request);
/* A new descriptor, or an error, as the kernel returned it. */
int comm_new(struct comm *c, unsigned request, int64_t result);
/* One less; the same. */
int comm_gone(struct comm *c, unsigned request, int64_t result);
/* A call on `id` since `start` moved `size` bytes. */
void comm_moved(struct comm *c, int id, uint64_t start, size_t size);
/* Answer one request to `to`. `last` is the highest one. `port`: whether there is such a descriptor, as its get_port
 * says. */
int comm_ioctl(struct comm *c, int id, unsigned request, unsigned last, void *to);

#endif
