/* SPDX-License-Identifier: MIT */
/* start.h - between the ways in of the scc board (main.c, pc.c, pc.S). */
#ifndef AMALGAM_BOARD_SCC_START_H
#define AMALGAM_BOARD_SCC_START_H

#include <types.h>

/* Make the only core, exceptions and the serial ports usable; first of all. */
void scc_begin(void);
/* Called by pc.S: what a boot loader has left in EAX and EBX. */
__noreturn void scc_pc(u32 magic, u32 at);
/* Go on in the core's memory that begins there on the PC. */
__noreturn void scc_pc_enter(u32 own);

#endif
