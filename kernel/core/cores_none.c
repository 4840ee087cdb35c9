/* SPDX-License-Identifier: MIT */
/* cores_none.c - a kernel whose cores stay for good: none ever leaves. */
#include <core/cpu.h>

bool core_may_leave(struct cpu *c) { return false; }
