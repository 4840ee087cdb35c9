/* SPDX-License-Identifier: MIT */
/* count.c - what was counted on this core (svm/svm.h). */
#include "state.h"

struct svm_stats svm_count;

void svm_stats(struct svm_stats *s) { *s = svm_count; }
