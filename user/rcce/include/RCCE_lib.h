/* SPDX-License-Identifier: MIT */
/*
 * RCCE_lib.h - what RCCE has for libraries upon it: locks and probes. Variables of the original library are not here:
 * buffers and flags lie elsewhere.
 *
 * A lock is a core's test-and-set register: here a word of the shared memory and XCHG.
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
int RCCE_try_lock(int ue);     /* RCCE_SUCCESS: taken; RCCE_PENDING: somebody has it */
int RCCE_backoff_lock(int ue); /* waits longer after each miss */
int RCCE_release_lock(int ue);
/* One lock of a group, for which few wait at each of its registers: a tree of its members' locks. */
int RCCE_acquire_treelock(RCCE_COMM *comm);
int RCCE_release_treelock(RCCE_COMM *comm);
/* Ours: a lock of each core for which UEs wait in a row; a UE has one of them at a time (else RCCE_REJECTED). */
int RCCE_acquire_queuelock(int ue);
int RCCE_release_queuelock(int ue);
int RCCE_probe(RCCE_FLAG flag); /* 1: it is set */

t_vcharp RC_COMM_BUFFER_START(int ue);    /* the first byte of RCCE_malloc()'s memory in a buffer; NULL: no such UE */
void RC_cache_invalidate(void);           /* CL1INVMB */
int RCCE_global_color(int ue, void *aux); /* for RCCE_comm_split(): all in one group */
int RCCE_error_return(int debug, int error); /* `error`, printed if `debug` is not 0 */
int RCCE_qsort(char *base, size_t n, size_t size, int (*compare)(const void *, const void *));
int id_compare(const void *a, const void *b); /* of two int */

#ifdef __cplusplus
}
#endif

#endif
