/* SPDX-License-Identifier: MIT */
/* trap_fatal.c - for a kernel that has the machine alone: an unexpected interrupt is a fault, and so is an exception
 * but that of a copy from or to a process. */
#include <arch/trap.h>

bool trap_handle_unexpected(struct trap_frame *f) { return trap_user_copy(f); }
