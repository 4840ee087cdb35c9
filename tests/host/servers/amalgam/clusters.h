/* SPDX-License-Identifier: MIT */
/* amalgam/clusters.h (host) - the calls of a cluster's process that clients of servers make; the test is the kernel. */
#ifndef AMALGAM_TESTS_SERVERS_CLUSTERS_H
#define AMALGAM_TESTS_SERVERS_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

enum {
    AMALGAM_EINTR = 4,
    AMALGAM_EIO = 5,
    AMALGAM_E2BIG = 7,
    AMALGAM_ENOEXEC = 8,
    AMALGAM_ENOMEM = 12,
    AMALGAM_EBUSY = 16
};

enum amalgam_cluster_info { AMALGAM_CLUSTER_INFO_NODES = 1 };

/* For a header of libnanvix, which nothing here calls. */
static inline unsigned amalgam_thread_self(void) { return 0; }
static inline void amalgam_remote_null(void) {}

uint64_t amalgam_clock(void);
int64_t amalgam_cluster_info(enum amalgam_cluster_info field);
int64_t amalgam_sleep_until(uint64_t deadline);
int64_t amalgam_portal_create(unsigned local, unsigned port);
int64_t amalgam_portal_allow(unsigned id, unsigned remote, unsigned port);
int64_t amalgam_portal_aread(unsigned id, void *data, size_t n);
int64_t amalgam_portal_wait(unsigned id);

#endif
