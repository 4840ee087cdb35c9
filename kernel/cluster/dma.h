/* SPDX-License-Identifier: MIT */
/*
 * dma.h - the cluster's DMA engine: its last hart, where the board says so (noc_engine()). It copies pages between a
 * program's memory and outboxes, and does nothing else: no program's thread, no interrupt but the ring that wakes it.
 *
 * Only the master starts jobs, and only the engine takes them: a ring of pointers with one writer on each side. The
 * addresses of a job were found and pinned on the caller's core (process_pin), so the engine walks no tables and cannot
 * fault. A job is over in the time of DMA_PAGES copies; nobody can take it back, whoever waits for its end may end only
 * then. The data in other clusters' outboxes may change while they are copied: they decide nothing.
 *
 * The engine's accesses are taken to pass by the caches, as those of an MPPA-256's do: there is no clean and no
 * invalidate here.
 */
#ifndef AMALGAM_CLUSTER_DMA_H
#define AMALGAM_CLUSTER_DMA_H

#include <types.h>

#define DMA_PAGES 8u /* of a job, at most: half of an outbox, so that both ends' engines have work */

/* Data in a buffer of an outbox. */
struct dma_page {
    u16 size; /* bytes, 1 to a page */
    u8 buffer;
};

struct dma_job {
    /* The program's side: the frames of its memory, and where page 0 of this job begins, counted from the first one. */
    char *memory;
    const u16 *frame;
    size_t at;
    u8 n;                            /* pages; 0: no job */
    bool to_outbox;                  /* or out of one */
    bool busy;                       /* the engine's, between dma_start() and its end; a release store */
    char *boxes;                     /* buffer 0 of the outbox */
    struct dma_page page[DMA_PAGES]; /* of a page to the outbox the rest of the buffer is cleared */
};

/* Returns whether this cluster has an engine. Any core. */
bool dma_is_there(void);
/* Give the engine a job, and wake it. At its end it calls request_again(). Returns false: the ring is full; something
 * ends before long. Master only. */
bool dma_start(struct dma_job *j);
static inline bool dma_is_busy(const struct dma_job *j) { return __atomic_load_n(&j->busy, __ATOMIC_ACQUIRE); }
/* What the engine does with a job (dma_copy.c). */
void dma_copy(const struct dma_job *j);

#endif
