/* SPDX-License-Identifier: MIT */
/* party.c - whose the shared pages are (party.h). */
#include "../state.h"

struct svm_party svm_party;
