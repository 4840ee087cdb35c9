/* SPDX-License-Identifier: MIT */
/* trap_line.c - what trap_dispatch() does not expect: interrupts of devices that processes drive, and faults of copies
 * from and to processes. */
#include <arch/line.h>

bool trap_handle_unexpected(struct trap_frame *f) { return line_interrupt(f); }
