/* SPDX-License-Identifier: MIT */
/*
 * policy.h - what a remote call does to the caches of the caller's core and of the master's core, where no hardware
 * keeps them coherent. The configuration links one of three files (CONFIG_CLUSTER_CACHE):
 *
 *   policy_everything.c  who passes a request on writes back its whole cache, and who takes it drops its whole cache:
 *                        caller and master each once a call (Nanvix paper, V.A: a full cache shoot-down before a call
 *                        and before it returns)
 *   policy_ranges.c      the same with what the call names: the request, its arguments, its data
 *   policy_nothing.c     nothing: the cores of a cluster share memory coherently
 *
 * The request and its data are the caller's until it arrives, then the master's until it is finished. So only one core
 * at a time writes one of their lines. The words by which both meet (struct request) are in other lines: each
 * load of such a word is preceded by policy_look(), each store followed by policy_told(), and an atomic operation has
 * both. bench/nanvix/README.md has what each policy costs.
 */
#ifndef AMALGAM_CLUSTER_POLICY_H
#define AMALGAM_CLUSTER_POLICY_H

#include "request.h"

/* The caller has filled the request and passes it to the master. / It has the answer, and goes on with it. */
void policy_leave(const struct request *r);
void policy_return(const struct request *r);
/* The master takes a request that has arrived. / It has stored the result, and passes the request back. */
void policy_take(const struct request *r);
void policy_finish(const struct request *r);

/* The next load of the word must see what the other core has stored. / The other core must see what was stored. */
void policy_look(const void *word);
void policy_told(const void *word);

/* This core is about to access `n` bytes of this cluster's outbox, which another core has written or read since. */
void policy_page(const void *page, size_t n);

/* Returns whether the DMA engine, which passes the caches by, may have a program's pages: only where the caches are
 * coherent, since nothing here writes a job and its pages back for it. */
bool policy_engine(void);

#endif
