/* SPDX-License-Identifier: MIT */
/* caches.h - what the files of the plugin `caches` share: a cache by sets, whose lines are the least recently used
 * first to go. */
#ifndef AMALGAM_PLUGIN_CACHES_H
#define AMALGAM_PLUGIN_CACHES_H

#include <stdbool.h>
#include <stdint.h>

struct cache_shape {
    unsigned sets, ways, line; /* the first and the last are powers of two; line in bytes */
    unsigned ahead; /* lines behind a missed one that come with it, as a buffer for prefetching brings them */
    bool around;    /* a store brings no line, and waits for none */
};

struct cache {
    const struct cache_shape *shape;
    uint64_t *lines; /* set by set: line number + 1, the most recently used first; 0: none */
    uint64_t accesses, misses;
};

/* Read `8K:2:64[:ahead=N][:around]`: bytes, ways, bytes of a line. Returns whether it is one. */
bool cache_shape_read(const char *words, struct cache_shape *to);
/* Begin empty. Returns false without memory. */
bool cache_begin(struct cache *c, const struct cache_shape *shape);
/* An access to the line with an address. Returns whether it missed, that is, brought the line. */
bool cache_access(struct cache *c, uint64_t address, bool store);
/* The line with an address goes, or all do. */
void cache_drop(struct cache *c, uint64_t address);
void cache_drop_all(struct cache *c);

#endif
