/* SPDX-License-Identifier: MIT */
/* free.h - frees a region. */
#ifndef AMALGAM_SVM_FREE_H
#define AMALGAM_SVM_FREE_H

#include <core/wait.h>

/* Remove the region at `at`, a collective call (svm/space.h). `changing` is held while it and its pages vanish. */
int svm_free(const void *at, struct mutex *changing);

#endif
