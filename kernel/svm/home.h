/* SPDX-License-Identifier: MIT */
/*
 * home.h - where a page's frame is. With SVM_MOVES it moves to the memory near who uses the page (svm/migrate.h);
 * otherwise a page has the frame of its number for ever, and frame.c is not linked.
 *
 * Frames are numbered as pages are, a quarter for each memory controller. A page's home word names its frame, and only
 * the page's owner writes it.
 */
#ifndef AMALGAM_SVM_HOME_H
#define AMALGAM_SVM_HOME_H

#include <types.h>

#ifndef SVM_MOVES /* the build says 1 of a kernel whose pages move (SVM_MIGRATE) */
#define SVM_MOVES 0
#endif

/* Return the number of a page's frame, below SVM_PAGES whatever its home word says. Any context. */
unsigned svm_home(unsigned page);
/* Take a page's first frame, near this core if there is one. Only the region's allocation uses the page now. Returns
 * false: no frame is free, which only wrong words bring about. */
bool svm_home_take(unsigned page);
/* Before the first barrier of an epoch: no page has a frame. */
void svm_home_clear(void);
/* If this core owns the page, move its frame near this core when it was marked or is hot. `came`: the page has just
 * come from another core. The page cannot leave meanwhile, and is not mapped. Thread context. */
void svm_home_settle(unsigned page, bool came);
/* Have the next svm_settle() move the page, which this core owns. Interrupts are off. */
void svm_home_mark(unsigned page);

/* The first four, in each kernel. */
static inline unsigned svm_frame(unsigned page) { return SVM_MOVES ? svm_home(page) : page; }
static inline bool svm_frame_first(unsigned page) { return !SVM_MOVES || svm_home_take(page); }
static inline void svm_frames_clear(void)
{
    if (SVM_MOVES)
        svm_home_clear();
}
static inline void svm_settle(unsigned page, bool came)
{
    if (SVM_MOVES)
        svm_home_settle(page, came);
}

#endif
