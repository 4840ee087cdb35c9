/* SPDX-License-Identifier: MIT */
/* free.h - frees a region. */
#ifndef AMALGAM_SVM_FREE_H
#define AMALGAM_SVM_FREE_H

/* Remove the region at `at`, a collective call (svm/space.h). */
int svm_free(const void *at);

#endif
