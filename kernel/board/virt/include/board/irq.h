/* SPDX-License-Identifier: MIT */
/*
 * board/irq.h (virt) - device interrupts by the PLIC: the serial port's, on hart 0 (irq.c), and those of devices that
 * processes drive (line.c, hal/device.h).
 */
#ifndef AMALGAM_BOARD_IRQ_H
#define AMALGAM_BOARD_IRQ_H

/* Route the serial port's interrupt to this hart. Returns 0, or -ENODEV: the board cannot. Boot, hart 0. */
int irq_setup(void);
/* Handle a supervisor external interrupt: claim, serve, complete. Interrupts are off. */
void irq_take(void);

#endif
