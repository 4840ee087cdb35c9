/* SPDX-License-Identifier: MIT */
/* party.h (alone) - shared pages are for the kernels' own tasks, on all cores that were chosen to boot.
 * processes/party.h is the other one; the include path selects the folder. */
#ifndef AMALGAM_SVM_PARTY_H
#define AMALGAM_SVM_PARTY_H

#include <svm/svm.h>

static inline bool svm_is_process(void) { return false; }
static inline unsigned svm_most(void) { return SVM_PAGES; } /* pages that a region may have */
static inline int svm_pages_lock(void) { return 0; }
static inline void svm_pages_unlock(void) {}
static inline int svm_failed(int err) { return err; }
static inline void svm_show_outside(unsigned page, paddr_t pa, bool write) {}
static inline void svm_hide_outside(unsigned page) {}

#endif
