/* SPDX-License-Identifier: MIT */
/*
 * RCCE_lib.h - RCCE's functions for libraries that are based on it: locks and probes. It has no variables of the
 * original library, because buffers and flags are laid out differently.
 *
 * A lock is a core's test-and-set register; here a word of the shared memory that is taken by XCHG.
 */
#ifndef RCCE_LIB_H
#define RCCE_LIB_H

#include <RCCE.h>

#define PAD32byte(n) (((n) + 31) / 32 * 32)

typedef volatile unsigned int *t_vintp;
typedef volatile unsigned char t_vchar;
typedef volatile unsigned int t_vint;

#ifdef __cplusplus
extern "C" {
#endif

int RCCE_acquire_lock(int ue);
int RCCE_try_lock(int ue);     /* RCCE_SUCCESS: taken; RCCE_PENDING: another UE has it */
int RCCE_backoff_lock(int ue); /* waits longer after each failed try */
int RCCE_release_lock(int ue);
/* One lock for a group, as a tree of its members' locks, so that few UEs wait at each register. */
int RCCE_acquire_treelock(RCCE_COMM *comm);
int RCCE_release_treelock(RCCE_COMM *comm);
/* Our own: each core has a lock for which UEs wait in a queue. A UE can hold one at a time; otherwise RCCE_REJECTED. */
int RCCE_acquire_queuelock(int ue);
int RCCE_release_queuelock(int ue);
int RCCE_probe(RCCE_FLAG flag); /* returns 1 if the flag is set */

t_vcharp RC_COMM_BUFFER_START(int ue);    /* the first byte of RCCE_malloc()'s memory in a buffer; NULL: no such UE */
void RC_cache_invalidate(void);           /* CL1INVMB */
int RCCE_global_color(int ue, void *aux); /* for RCCE_comm_split(): all in one group */
int RCCE_error_return(int debug, int error); /* returns `error`, and prints it if `debug` is not 0 */
int RCCE_qsort(char *base, size_t n, size_t size, int (*compare)(const void *, const void *));
int id_compare(const void *a, const void *b); /* compares two int, for qsort() */

#ifdef __cplusplus
}
#endif

#endif
