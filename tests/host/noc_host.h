/* SPDX-License-Identifier: MIT */
/*
 * noc_host.h - hal/noc.h for unit tests: clusters that take turns, each with a cache that is never coherent by itself.
 * A store is visible to others only after noc_clean(); a load is stale until noc_invalidate().
 */
#ifndef AMALGAM_NOC_HOST_H
#define AMALGAM_NOC_HOST_H

#include <hal/noc.h>
#include <life.h>
#include <stdlib.h>
#include <string.h>

#ifndef NOC_HOST
#define NOC_HOST 3
#endif
#define NOC_OUTBOX (64 * KIB)
static unsigned noc_host_self, noc_host_rings[NOC_HOST];
static u32 noc_host_life[NOC_HOST] = { [0 ... NOC_HOST - 1] = 1 };
static u8 noc_host_memory[NOC_HOST][NOC_OUTBOX] __aligned(4 * KIB);
/* What each cluster sees of each outbox. */
static u8 noc_host_seen[NOC_HOST][NOC_HOST][NOC_OUTBOX] __aligned(4 * KIB);

unsigned noc_clusters(void) { return NOC_HOST; }
size_t noc_outbox_size(void) { return NOC_OUTBOX; }
unsigned noc_self(void) { return noc_host_self; }
u32 noc_life(void) { return noc_host_life[noc_host_self]; }
u64 noc_patience(void) { return 1000000000; }
void *noc_outbox(void) { return noc_host_seen[noc_host_self][noc_host_self]; }
const void *noc_outbox_of(unsigned cluster) { return noc_host_seen[noc_host_self][cluster]; }
void noc_ring(unsigned cluster) { noc_host_rings[cluster]++; }

/* Whatever the test does next is in a new life of a cluster. */
static inline void noc_host_begin_life(unsigned cluster)
{
    noc_host_self = cluster;
    noc_host_life[cluster] = life_next(noc_host_life[cluster]);
}

/* The lines of [p, p + n) in what this cluster sees of outbox `of`; a foreign address ends the test. */
static size_t noc_host_lines(const void *p, size_t *n, unsigned *of)
{
    size_t at = (size_t)((const u8 *)p - noc_host_seen[noc_host_self][0]);
    if (at + *n > sizeof(noc_host_seen[0]))
        abort();
    *of = (unsigned)(at / NOC_OUTBOX);
    size_t first = ALIGN_DOWN(at % NOC_OUTBOX, (size_t)NOC_LINE);
    *n = ALIGN_UP(at % NOC_OUTBOX + *n, (size_t)NOC_LINE) - first;
    return first;
}

void noc_clean(const void *p, size_t n)
{
    unsigned of;
    size_t at = noc_host_lines(p, &n, &of);
    if (of != noc_host_self)
        abort();
    memcpy(noc_host_memory[of] + at, noc_host_seen[noc_host_self][of] + at, n);
}

/* Called before a cluster reads what another one wrote: what happens meanwhile. */
static void (*noc_host_meanwhile)(const void *p);

void noc_invalidate(const void *p, size_t n)
{
    unsigned of;
    if (noc_host_meanwhile)
        noc_host_meanwhile(p);
    size_t at = noc_host_lines(p, &n, &of);
    if (of == noc_host_self)
        abort();
    memcpy(noc_host_seen[noc_host_self][of] + at, noc_host_memory[of] + at, n);
}

void noc_clean_line(const void *p) { noc_clean(p, 1); }
void noc_invalidate_line(const void *p) { noc_invalidate(p, 1); }
void noc_poll(const void *line) { noc_invalidate(line, NOC_LINE); }

#endif
