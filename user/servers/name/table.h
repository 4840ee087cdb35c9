/* SPDX-License-Identifier: MIT */
/*
 * table.h - the names that a name server has (amalgam/names.h), without a way to hear or to say anything: main.c has
 * that.
 *
 * Nothing here trusts a request: what it costs is bounded by NAMES_TABLE, whatever it says, and a cluster cannot have
 * more names than its share. One thread uses a table.
 */
#ifndef AMALGAM_SERVERS_NAME_TABLE_H
#define AMALGAM_SERVERS_NAME_TABLE_H

#include <amalgam/names.h>

#define NAMES_TABLE    256 /* names of all clusters */
#define NAMES_BUCKETS  64
#define NAMES_CLUSTERS 64
#define NAMES_LEASE_NS (NAMES_LEASE_MS * 1000000ull)
#define NAMES_JOIN_NS  (2 * NAMES_LEASE_NS) /* so long a server that has begun again learns names and does not count */

struct names_entry {
    uint64_t name[NAMES_WORDS];
    uint64_t client;
    uint64_t until;           /* the lease's end, in nanoseconds of the server's clock */
    struct names_entry *next; /* of its bucket, or of the free ones */
    uint8_t node;
};

struct names_table {
    struct names_entry entry[NAMES_TABLE];
    struct names_entry *bucket[NAMES_BUCKETS], *free;
    uint64_t joined_at; /* the time from which on the server's word counts */
    uint64_t refused;   /* how many requests were wrong or beyond a share */
    uint64_t seed;      /* of the buckets, so that nobody can choose names of one bucket */
    uint16_t share;     /* of each cluster */
    uint16_t has[NAMES_CLUSTERS];
};

/* Begin without names, at time `now`. `clusters`: how many there are, at most NAMES_CLUSTERS; each has the same share.
 * `first`: no server of this number has been before, so no name can be missing. */
void names_begin(struct names_table *t, unsigned clusters, uint64_t seed, uint64_t now, bool first);
/* Carry out a request of cluster `node`, at time `now`, which never goes back. The answer takes its place. Returns
 * false: it is no request that can be answered, and is dropped. */
bool names_serve(struct names_table *t, unsigned node, struct names_message *m, uint64_t now);
/* Returns how many names there are, leases that have ended included. */
unsigned names_count(const struct names_table *t);

#endif
