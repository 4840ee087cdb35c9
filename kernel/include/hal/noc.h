/* SPDX-License-Identifier: MIT */
/*
 * hal/noc.h - the network between clusters that share no coherent memory: one outbox for each cluster and a doorbell.
 *
 * A cluster writes its own outbox and reads those of all clusters. So each shared word has one writer, and there are no
 * atomic operations on it. Nothing that another cluster wrote may be trusted: read a word once, then check the copy.
 *
 * Caches are not coherent. What this cluster wrote becomes visible to others at noc_clean() at the latest, and perhaps
 * before. What another one wrote becomes visible here at noc_invalidate() at the latest, and perhaps before.
 */
#ifndef AMALGAM_HAL_NOC_H
#define AMALGAM_HAL_NOC_H

#include <types.h>

#define NOC_CLUSTERS 32 /* at most */
#define NOC_LINE     64 /* bytes that are cleaned or invalidated together */

/* The number of clusters, 0 where there is no such network; this cluster's number, below it. Any context. */
unsigned noc_clusters(void);
unsigned noc_self(void);
/* Bytes of an outbox: a power of two, at an address that is a multiple of it. */
size_t noc_outbox_size(void);
/* This cluster's outbox: only it writes there. */
void *noc_outbox(void);
/* Read the outbox of `cluster`, which must be below the number of all clusters. */
const void *noc_outbox_of(unsigned cluster);
/* Make the lines that hold [p, p + n) of this cluster's outbox visible to all, before any later store of this core. */
void noc_clean(const void *p, size_t n);
/* Forget what this cluster's caches hold of [p, p + n), in another cluster's outbox, before any later load of this
 * core. */
void noc_invalidate(const void *p, size_t n);
/* The same for a line with words that are looked at again and again until they change. */
void noc_poll(const void *line);
/* Interrupt the master of `cluster`. A ring is a hint: rings may be merged or lost, and may come without a reason. */
void noc_ring(unsigned cluster);

/* Upcall: another cluster rang, perhaps. The master's core, interrupts off. */
void noc_rang(void);

#endif
