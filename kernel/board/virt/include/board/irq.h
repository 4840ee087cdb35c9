/* SPDX-License-Identifier: MIT */
/* board/irq.h (virt) - device interrupts: the serial port's, by the PLIC, on hart 0. */
#ifndef AMALGAM_BOARD_IRQ_H
#define AMALGAM_BOARD_IRQ_H

/* Route the serial port's interrupt to this hart. -ENODEV: the board cannot. Boot, hart 0. */
int irq_setup(void);
/* A supervisor external interrupt: claim, serve, complete. Interrupts off. */
void irq_take(void);

#endif
