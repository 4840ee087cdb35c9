/* SPDX-License-Identifier: MIT */
/*
 * core/console.h - one serial line for many speakers.
 *
 * Each domain and the kernel itself is a *source*. On the human port the source that has the focus is shown byte by
 * byte; the others are shown by whole lines as "[name] ...". Ctrl-] moves the focus to the control console
 * (core/monitor.c) and back.
 *
 * A second port, if the board has one, is the *tagged channel*, for programs. The byte 0xff and a source id say whose
 * bytes follow; 0xff 0xff is a literal 0xff. The same framing selects which source receives the bytes that the host
 * sends. Bytes of two sources are never mixed.
 *
 * A serial port needs 87 us for a byte. Bytes that it cannot send at once wait in a ring until its interrupt. A speaker
 * with interrupts on waits while the ring is half full. The other half is for speakers with interrupts off: they do not
 * wait, and their bytes are lost when the ring is full. The kernel waits for a port with interrupts off only at boot,
 * before console_queue(true), and in a panic.
 */
#ifndef AMALGAM_CORE_CONSOLE_H
#define AMALGAM_CORE_CONSOLE_H

#include <types.h>

#define CONSOLE_KERNEL  0xfe /* log and monitor */
#define CONSOLE_SOURCES 16   /* domains 0..15 */

/* Deliver one input byte to a source. Interrupt context; must not block. */
typedef void (*console_input_fn)(void *arg, u8 byte);

/* In kernels with console_hold.c: the input function of `source`, a domain id, has no room for another byte. The
 * port keeps what is typed until console_room(), for three seconds at most; after that bytes are delivered again. To
 * call this again without console_room() in between makes one that reads slowly keep what is typed for others. */
void console_hold(unsigned source);
void console_room(unsigned source); /* any context */

#define CONSOLE_MONITOR_HUMAN  0 /* `arg` of the monitor's input function: the port of the byte */
#define CONSOLE_MONITOR_TAGGED 1

void console_init(void);
/* Read the bytes that port `port` has received and send the bytes that wait for it. Interrupt context. */
void console_poll(unsigned port);
void console_register(unsigned source, const char *name, console_input_fn input, void *arg);
/* Remove a source. Its unfinished line is shown, and the focus moves to the kernel if the source had it. Thread
 * context on core 0, which takes the ports' interrupts, so that no input for the source is on its way. */
void console_forget(unsigned source);
/* Write `len` bytes in the name of `source`, a domain id or CONSOLE_KERNEL. Any context. */
void console_write(unsigned source, const char *text, size_t len);
/* Write the text's first bytes, at most 64 and at most to the end of a shown line, for a speaker with interrupts off
 * that can come back. Returns the number of bytes written; 0 if the rings are half full or another core has the
 * console: try again later, with interrupts on in between. `source` is a domain id, `len` is not 0. Interrupts must be
 * off. */
size_t console_offer(unsigned source, const char *text, size_t len);
void console_focus(unsigned source);
/* Write to the human port only: the monitor's echo, which programs do not want to read. */
void console_write_human(const char *text);
/* true: bytes wait in the rings for the ports' transmit interrupts; boot calls this when interrupts work. false:
 * console_write() returns after the bytes were sent; so before that, and in a panic. */
void console_queue(bool on);
/* Before the power goes off: as console_queue(false), beside speakers and the ports' interrupts, which are on between
 * pieces. */
void console_flush(void);
/* For a panic: wait for the holder of the console's lock for a bounded time, as it may have been stopped. From then on
 * this core uses the console without the lock, and nothing is queued. */
void console_break_lock(void);

/* board: give up to `n` bytes to the transmitter. Returns how many it took: 0 if it is busy, `n` if the port does not
 * exist. */
unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n);
/* board, if the build says CONSOLE_COUNTED: count `n` bytes that are dropped. Returns false, and counts nothing, if
 * they `can_wait` and the board knows that the port's other end lives. The console is locked. */
bool hal_console_drop(unsigned n, bool can_wait);
/* board: enable exactly these interrupts of the port, CONSOLE_IRQ_*. A condition that holds already interrupts at
 * once. */
#define CONSOLE_IRQ_RX 1
#define CONSOLE_IRQ_TX 2 /* the transmitter can take bytes */
void hal_console_irqs(unsigned port, unsigned which);
/* board: return one received byte, or -1 if there is none. */
int hal_console_getc(unsigned port);
bool hal_console_present(unsigned port);

#endif
