/* SPDX-License-Identifier: MIT */
/* fast.c - fast calls, and those that block, on the way in; fast_kept.c is the other one. */
#include <generated/dispatch.h>

bool process_fast(struct user *u) { return dispatch_fast(u) || process_blocking(u); }
