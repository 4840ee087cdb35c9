/* SPDX-License-Identifier: MIT */
/*
 * home.h (moving) - where a page's frame is. It moves to the memory near who uses the page (svm/migrate.h).
 *
 * Frames are numbered as pages are, a quarter for each memory controller. A page's home word names its frame, and only
 * the page's owner writes it.
 */
#ifndef AMALGAM_SVM_HOME_H
#define AMALGAM_SVM_HOME_H

#include <types.h>

/* Return the number of a page's frame, below SVM_PAGES whatever its home word says. Any context. */
unsigned svm_frame(unsigned page);
/* Take a page's first frame, near this core if there is one. Only the region's allocation uses the page now. Returns
 * false: no frame is free, which only wrong words bring about. */
bool svm_home_first(unsigned page);
/* Before the first barrier of an epoch: no page has a frame. */
void svm_home_clear(void);
/* If this core owns the page, move its frame near this core when it was marked or is hot. `came`: the page has just
 * come from another core. The page cannot leave meanwhile, and is not mapped. Thread context. */
void svm_settle(unsigned page, bool came);
/* Have the next svm_settle() move the page, which this core owns. Interrupts are off. */
void svm_home_mark(unsigned page);

#endif
