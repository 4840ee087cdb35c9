/* SPDX-License-Identifier: MIT */
/* arch/line.h - interrupts of devices that processes drive (line.c; line_none.c in kernels without). */
#ifndef AMALGAM_ARCH_LINE_H
#define AMALGAM_ARCH_LINE_H

#include <arch/trap.h>

/* Handle the trap if it is an interrupt of a connected line, or the fault of a copy from or to a process. Returns false
 * if it is neither. Interrupts are off. */
bool line_interrupt(struct trap_frame *f);

#endif
