/* SPDX-License-Identifier: MIT */
/*
 * RCCE_lib.h - what RCCE has for libraries upon it: locks and probes.
 *
 * A lock is a core's test-and-set register: here a word in that core's message passing buffer and XCHG.
 */
#ifndef RCCE_LIB_H
#define RCCE_LIB_H

#include <RCCE.h>

int RCCE_acquire_lock(int ue);
int RCCE_try_lock(int ue, int *taken);
int RCCE_backoff_lock(int ue); /* waits longer after each miss */
int RCCE_release_lock(int ue);
int RCCE_probe(RCCE_FLAG flag); /* 1: it is set */

#endif
