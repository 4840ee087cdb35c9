/* SPDX-License-Identifier: MIT */
/*
 * core/console.h - one serial line for many speakers.
 *
 * Every domain and the kernel itself is a *source*.  On the human port the source
 * that has the focus talks raw; the others are shown line by line as "[name] ...".
 * Ctrl-] gives the focus to the control console (core/monitor.c) and back.
 *
 * If the board has a second port it is the *tagged channel*, for programs: the byte
 * 0xff followed by a source id says whose bytes follow (0xff 0xff is a literal 0xff);
 * the same framing selects who gets what the host sends.  Nothing is lost or mixed.
 *
 * A serial port takes 87 us a byte: what it cannot take at once waits in a ring until its interrupt.  Who speaks with
 * interrupts on waits while the ring is half full; the other half is for those that cannot wait, and is lost to them
 * when it is full: nothing waits for a port with interrupts off, but before the queues are on and in a panic.
 */
#ifndef AMALGAM_CORE_CONSOLE_H
#define AMALGAM_CORE_CONSOLE_H

#include <types.h>

#define CONSOLE_KERNEL  0xfe /* log and monitor */
#define CONSOLE_SOURCES 16   /* domains 0..15 */

/* Deliver input bytes to a domain; interrupt context, must not block. */
typedef void (*console_input_fn)(void *arg, u8 byte);

#define CONSOLE_MONITOR_HUMAN  0 /* `arg` of the monitor's input: which port the byte came by */
#define CONSOLE_MONITOR_TAGGED 1

void console_init(void);
/* Take in what port `port` has received, send what waits for it; interrupt context. */
void console_poll(unsigned port);
void console_register(unsigned source, const char *name, console_input_fn input, void *arg);
/* The source is no more: what it said of a line is shown, the focus goes to the kernel. Thread context on the core that
 * takes the ports' interrupts, so that none of its input is on the way. */
void console_forget(unsigned source);
/* Any context; `source` is a domain id or CONSOLE_KERNEL. */
void console_write(unsigned source, const char *text, size_t len);
/* So much waits that who speaks with interrupts off, and can come back later, should. Any context. */
bool console_busy(void);
void console_focus(unsigned source);
/* Only to the human port: the monitor's echo, which programs do not want to read. */
void console_write_human(const char *text);
/* From now on what is said waits for the ports' transmitters by interrupts (true: boot does, when they work), or is
 * sent before the call returns (false: until then, before the power goes off). */
void console_queue(bool on);
/* The panic path: forget whoever holds the console, and queue no more. */
void console_break_lock(void);

/* board: hand up to `n` bytes to the transmitter; how many it took, 0 if it is busy, all if there is no such port. */
unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n);
/* Which conditions of the port interrupt, CONSOLE_IRQ_*: one that already stands interrupts again. */
#define CONSOLE_IRQ_RX 1
#define CONSOLE_IRQ_TX 2 /* the transmitter takes bytes */
void hal_console_irqs(unsigned port, unsigned which);
/* Poll one received byte, -1 if none. */
int hal_console_getc(unsigned port);
bool hal_console_present(unsigned port);

#endif
