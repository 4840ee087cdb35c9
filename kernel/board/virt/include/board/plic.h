/* SPDX-License-Identifier: MIT */
/* board/plic.h (virt) - the PLIC (RISC-V Platform-Level Interrupt Controller 1.0), which irq.c or line.c serves. */
#ifndef AMALGAM_BOARD_PLIC_H
#define AMALGAM_BOARD_PLIC_H

#include <types.h>

struct cpu;

/* Let an input interrupt a core: now, or once it has a priority that is not 0. Returns the core's register to claim and
 * complete; NULL: the board cannot. *priority is that of input 0, once it was found; the others follow. Boot. */
volatile u32 *plic_connect(u32 irq, const struct cpu *c, bool on, volatile u32 **priority);

#endif
