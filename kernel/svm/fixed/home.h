/* SPDX-License-Identifier: MIT */
/* home.h (fixed) - a page's frame is the one of the same number, for ever. moving/home.h is the other one; the include
 * path selects the folder. */
#ifndef AMALGAM_SVM_HOME_H
#define AMALGAM_SVM_HOME_H

#include <types.h>

static inline unsigned svm_frame(unsigned page) { return page; }
static inline bool svm_home_first(unsigned page) { return true; }
static inline void svm_home_clear(void) {}
static inline void svm_settle(unsigned page, bool came) {}

#endif
