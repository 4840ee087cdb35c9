/* SPDX-License-Identifier: MIT */
/* user_fault_none.c - for a kernel without processes: no exception of the kernel is one for a process's sake. */
#include <arch/trap.h>

bool trap_user_copy(struct trap_frame *f) { return false; }
