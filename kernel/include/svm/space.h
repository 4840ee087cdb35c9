/* SPDX-License-Identifier: MIT */
/*
 * svm/space.h - shared virtual memory for the runs of one process on several cores, in place of the kernels' own tasks
 * (docs/svm.md).
 *
 * The process's part of the pages is a range of addresses in its space, the same on all its cores; its cores are the
 * members. Models, collective calls, locks and faults are those of svm/svm.h. SVM_TWINS takes memory of the kernel's:
 * at most twice the process's range. Regions can be freed. What differs is that a run may end at any time. Its kernel
 * goes on to give its pages to those who ask; who waits for it in a collective call gets an error.
 *
 * Addresses are those of the process, from any source: they are checked. Linked with CONFIG_PROCESS.
 */
#ifndef AMALGAM_SVM_SPACE_H
#define AMALGAM_SVM_SPACE_H

#include <hal/space.h>
#include <svm/svm.h>

/* The kernel's pages [first, first + pages) are for the process with this space, from address `at` on, and its members
 * are those of `cores` (bit n: core n). Returns 0, or -ENOMEM: no tables. Boot, at most once. */
int svm_space_give(struct space *s, u64 cores, uintptr_t at, unsigned first, unsigned pages);
/* Returns whether there is a page of this range at the address. Any context. */
bool svm_space_has(u64 at);
/* Make the page of an address that svm_space_has() accessible. Returns 0; -EFAULT: it is in no region; -EACCES: it is
 * read-only; or why its owner does not give it: -EBADMSG, -ENODEV, -ETIMEDOUT, -ECANCELED. Thread context, interrupts
 * on; threads take turns. */
int svm_space_access(u64 at, bool write);

/* Collective calls of all members, one thread of a core at a time. Errors, each for all members: -EINVAL: wrong
 * arguments, or not all the same; -ETIMEDOUT: a member has ended. -EPIPE: the call has failed at some members only.
 * -ECANCELED: the thread has to end. After the last three this member is in no epoch, and its next call meets the
 * others anew, without any region.
 *
 * svm_space_alloc(): *at becomes the address of zeros. -ENOMEM: no room.
 * svm_space_free(): forget the region at `at` and what it holds. No thread uses it any more. */
int svm_space_alloc(unsigned pages, enum svm_model model, uintptr_t *at);
int svm_space_free(u64 at);
int svm_space_change(u64 at, enum svm_model model);

/* A run of the process begins / has ended: members that wait for this core wait / get an error. */
void svm_space_enter(void);
void svm_space_leave(void);

#endif
