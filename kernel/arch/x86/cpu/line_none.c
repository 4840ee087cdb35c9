/* SPDX-License-Identifier: MIT */
/* line_none.c - in place of line.c in a board's kernel whose processes drive no devices. */
#include <arch/line.h>

bool line_interrupt(struct trap_frame *f) { return false; }
