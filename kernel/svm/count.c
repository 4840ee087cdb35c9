/* SPDX-License-Identifier: MIT */
/* count.c - this core's counters (svm/svm.h). */
#include "state.h"

struct svm_stats svm_count;

void svm_stats(struct svm_stats *s) { *s = svm_count; }
