/* SPDX-License-Identifier: MIT */
/* outside.c - whose the shared pages are (outside.h). */
#include "outside.h"

struct svm_outside svm_outside;
