/* SPDX-License-Identifier: MIT */
/*
 * lazy.h - shared virtual memory of the lazy model (docs/svm.md) for all UEs of a program, some of which may be
 * programs of a Linux that joins the process (docs/scc-linux.md). Such a UE is no member: the others allocate, and tell
 * it where.
 *
 * What one UE wrote before lazy_release() another one sees after lazy_acquire(); RCCE's flags, messages and barriers
 * say when. Not for the gory interface.
 */
#ifndef AMALGAM_USER_RCCE_LAZY_H
#define AMALGAM_USER_RCCE_LAZY_H

#include <stddef.h>

/* Allocate zeros. All UEs call it with the same size. Returns NULL at all of them: there is no room, no UE that could
 * allocate, or the process has no 'svm'. */
void *lazy_alloc(size_t bytes);
/* Give it back. All UEs call it, when none of them uses it any more. */
void lazy_free(void *at, size_t bytes);
void lazy_acquire(void);
void lazy_release(void);

/* What differs: pages.c, or ../linux/pages.c. */
/* Allocate with the other members. Returns the offset from CHIP_SVM; LAZY_OTHERS: this UE does not; LAZY_FAILED. */
#define LAZY_OTHERS (-1)
#define LAZY_FAILED (-2)
int pages_alloc(size_t bytes);
/* Return where a region is for this UE; NULL: it could not be mapped. */
void *pages_at(size_t offset, size_t bytes);
void pages_free(void *at, size_t bytes);

#endif
