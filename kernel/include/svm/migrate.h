/* SPDX-License-Identifier: MIT */
/*
 * svm/migrate.h - pages of strong regions move to the memory near who uses them (docs/svm.md).
 *
 * An SCC has four memory controllers, each near a quadrant of 3 x 2 tiles. A page's address and owner do not tell where
 * its frame is: it begins near its first owner. It moves
 *
 * - at the next touch (Lankes, Bierbaum, Bemmerl, "Affinity-On-Next-Touch: An Extension to the Linux Kernel for NUMA
 *   Architectures", PPAM 2009): svm_next_touch() marks a region, and whoever touches a page next becomes its owner and
 *   has its frame near;
 * - when it is hot: cores of one quadrant have taken it SVM_HOT times, one after the other, and none of another one;
 * - when its owner says so, by svm_move().
 *
 * If no frame is free there, a page stays where it is, which is no error of an access. Regions of other models keep
 * their frames; svm_change() makes them strong for a while.
 *
 * Linked with CONFIG_SVM_MIGRATE. Calls are for threads, as those of svm/svm.h.
 */
#ifndef AMALGAM_SVM_MIGRATE_H
#define AMALGAM_SVM_MIGRATE_H

#include <svm/svm.h>

#define SVM_CONTROLLERS 4u
#define SVM_HOT         4u

/* Mark all pages of the strong region that begins at `at`. Each member calls it with the same argument. Returns 0;
 * -EINVAL: no such region, another model, or the members' arguments differ; -ETIMEDOUT: a dead member; -ECANCELED. */
int svm_next_touch(void *at);
/* Move what this core owns of [at, at + bytes), whole pages, near this core; pages of others stay. Returns 0; -EINVAL:
 * not in one strong region; -ENOMEM: a page had no room there, and those behind it were not tried; or an access's
 * error (own.c). */
int svm_move(void *at, size_t bytes);
/* Return the controller that has the frame of an address, below SVM_CONTROLLERS; -EINVAL: of no region. */
int svm_where(const void *at);
/* Return the controller near this core. */
unsigned svm_here(void);

#endif
