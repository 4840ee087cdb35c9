/* SPDX-License-Identifier: MIT */
/* split_none.c - for a kernel that has no Linux above it, or shares nothing with it. */
#include <core/split.h>
#include <errors.h>

int split_claim(const struct split_entry *e, void **memory) { return -ENODEV; }
void split_ring(unsigned entry) {}
void split_reset(void) {}
