/* SPDX-License-Identifier: MIT */
/* trap_fatal.c - a kernel that has the machine to itself: an exception or interrupt of nobody's is a fault. */
#include <arch/trap.h>

bool trap_handle_unexpected(struct trap_frame *f) { return false; }
