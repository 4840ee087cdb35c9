/* SPDX-License-Identifier: MIT */
/*
 * board/console.h - the core's serial port UART0, shared by its guests and the kernel: output of VMs, input from keys
 * (console.c, CONFIG_CONSOLE).
 *
 * Only console_drain() waits for the line. Interrupts are off.
 */
#ifndef AMALGAM_BOARD_CONSOLE_H
#define AMALGAM_BOARD_CONSOLE_H

#include <types.h>

#define CONSOLE_KERNEL       0xfe
#define CONSOLE_KERNEL_QUOTA 160 /* bytes: two lines */
#define CONSOLE_LONGEST      80  /* a line of hal_report() */

void console_init(void);
/* Queue bytes of this VM, or CONSOLE_KERNEL, behind all that waits on this core; CONSOLE_LONGEST at most. Returns how
 * many were taken: fewer than `n` if too many of its bytes wait already. */
u32 console_write(u32 id, const volatile u8 *bytes, u32 n);
bool console_putc(u32 id, u8 byte); /* the same for one byte; returns false if it was not taken */
u32 console_room(u32 id);           /* returns the number of bytes that console_write() will take now */
void console_send(void); /* give the line as many bytes as its FIFO takes; the transmitter's interrupt sends the rest */
void console_ask(void);  /* let the transmitter's interrupt call console_poll(), even if nothing waits */
void console_drain(void); /* at the end of a run: wait until all is sent, or the line is dead */
/* Handle the port's interrupt. */
void console_poll(void);
/* The alarm was handled: the transmitter may interrupt again if bytes wait. */
void console_alarm_passed(void);
/* Give the focus to this VM: it is heard, and gets the input. */
void console_focus(u32 id);
/* Returns the console's input of the interrupt controller, as a bit; 0: there is no console. */
u32 console_input(void);
/* For device.S: the VM whose tag was sent last while no byte waits, otherwise a number that is no VM's. */
extern u8 console_speaker;

/* Called by the console (arch/ppc405/report.c): print the next event that hal_report_event() has left. Returns false
 * if there is none. */
bool report_next(void);
bool report_waits(void);

#endif
