/* SPDX-License-Identifier: MIT */
/*
 * board/console.h - the core's serial port UART0, which its guests and the kernel share: bytes of VMs out, keys in
 * (console.c, CONFIG_CONSOLE).
 *
 * None of these waits for the line but console_drain(). Interrupts are off.
 */
#ifndef AMALGAM_BOARD_CONSOLE_H
#define AMALGAM_BOARD_CONSOLE_H

#include <types.h>

#define CONSOLE_KERNEL       0xfe
#define CONSOLE_KERNEL_QUOTA 160 /* bytes: two lines */
#define CONSOLE_LONGEST      80  /* a line of hal_report() */

void console_init(void);
/* Put bytes of this VM's, or CONSOLE_KERNEL's, behind all that waits on this core; CONSOLE_LONGEST at most. Returns how
 * many were taken: fewer than `n` if too many of its bytes wait already. */
u32 console_write(u32 id, const volatile u8 *bytes, u32 n);
bool console_putc(u32 id, u8 byte); /* the same for one byte; false: not taken */
u32 console_room(u32 id);           /* bytes that console_write() will take now */
void console_send(void);            /* give the line what its FIFO takes; the transmitter's interrupt sends the rest */
void console_ask(void);             /* have the transmitter's interrupt call console_poll(), though nothing may wait */
void console_drain(void);           /* the end of a run: wait until all is out, or the line is dead */
/* The port's interrupt. */
void console_poll(void);
/* The alarm was served: what waits for the transmitter may interrupt again. */
void console_alarm_passed(void);
/* This VM is heard, and gets what is typed. */
void console_focus(u32 id);
/* Its input of the interrupt controller, as a bit; 0: there is no console. */
u32 console_input(void);
/* For device.S: the VM whose tag was sent last while nothing waits, otherwise a number that is no VM's. */
extern u8 console_speaker;

/* What the console asks for (arch/ppc405/report.c): say the next event that hal_report_event() left. Returns false if
 * there is none. */
bool report_next(void);
bool report_waits(void);

#endif
