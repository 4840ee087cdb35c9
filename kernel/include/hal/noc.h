/* SPDX-License-Identifier: MIT */
/*
 * hal/noc.h - the network between clusters that share no coherent memory: an outbox and a doorbell for each cluster.
 *
 * A cluster writes its own outbox and reads those of all clusters. So each shared word has one writer, and needs no
 * atomic operations. Nothing that another cluster wrote may be trusted: read a word once, then check the copy.
 *
 * Caches are not coherent. Data of this cluster becomes visible to others at noc_clean() at the latest, perhaps before.
 * Data of another cluster becomes visible here at noc_invalidate() at the latest, perhaps before.
 */
#ifndef AMALGAM_HAL_NOC_H
#define AMALGAM_HAL_NOC_H

#include <types.h>

#define NOC_CLUSTERS 32 /* at most */
#define NOC_LINE     64 /* bytes that are cleaned or invalidated together */

/* Return the number of clusters, 0 if there is no such network / this cluster's number. Any context. */
unsigned noc_clusters(void);
unsigned noc_self(void);
/* Returns the number of this cluster's life (life.h): who starts clusters counts them, so that no two lives of a
 * cluster have the same one. Any context. */
u32 noc_life(void);
/* Returns the bytes of an outbox: a power of two; an outbox is aligned to it. */
size_t noc_outbox_size(void);
/* Return this cluster's outbox, which only it writes. */
void *noc_outbox(void);
/* Return the outbox of `cluster`, below noc_clusters(), for reading. */
const void *noc_outbox_of(unsigned cluster);
/* Make the lines that hold [p, p + n) of this cluster's outbox visible to all, before any later store of this core. */
void noc_clean(const void *p, size_t n);
void noc_clean_line(const void *p); /* of the one that holds p */
/* Drop this cluster's cached copies of [p, p + n) in another cluster's outbox, before any later load of this core. */
void noc_invalidate(const void *p, size_t n);
void noc_invalidate_line(const void *p); /* of the one that holds p */
/* The same for a line with words that are polled until they change. */
void noc_poll(const void *line);
/* Returns the nanoseconds after which a cluster that does not answer is taken for dead. */
u64 noc_patience(void);
/* Returns the core that is this cluster's DMA engine and runs no program; 0: there is none. */
unsigned noc_engine(void);
/* Interrupt the master of `cluster`, whose kernel calls noc_rang() (hal/upcalls.h). A ring is a hint: rings may be
 * merged or lost, and may come without a reason. */
void noc_ring(unsigned cluster);

#endif
