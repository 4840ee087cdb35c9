/* SPDX-License-Identifier: MIT */
/* trap_fatal.c - for a kernel that has the machine alone: an unexpected exception or interrupt is a fault. */
#include <arch/trap.h>

bool trap_handle_unexpected(struct trap_frame *f) { return false; }
