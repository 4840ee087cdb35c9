/* SPDX-License-Identifier: MIT */
/*
 * arch/devices.h - the virtual devices of a 405EP guest as the instruction emulation sees them
 * (kernel/vm/ppc405/): device control registers, timers, memory-mapped registers.
 *
 * Devices tell the guest by vm_set_pending(); whoever emulates an instruction calls
 * deliver_pending() before the guest goes on.
 */
#ifndef AMALGAM_ARCH_DEVICES_H
#define AMALGAM_ARCH_DEVICES_H

#include <arch/vm.h>

void devices_reset(struct vm *vm); /* all of them, from zero */
void fast_reset(struct vm *vm);    /* fast.c, after previrt_reset() */

/* Device control registers. A DCR that nobody has reads as 0 and takes writes (as the board's bus does). */
u32 dcr_read(struct vm *vm, u32 dcr);
void dcr_write(struct vm *vm, u32 dcr, u32 value);

/* Universal interrupt controller: these inputs (0 is the most significant bit) change their level; drives
 * VMP_EXTERNAL/CRITICAL. */
void vuic_lines(struct vm *vm, u32 inputs, bool level);
#define UIC_INPUT(n) (0x80000000u >> (n))

/* Timers: SPR TSR TCR PIT (spr.c calls with the register's number). */
u32 timer_read(struct vm *vm, u32 spr);
void timer_write(struct vm *vm, u32 spr, u32 value);
/* Expire what is due: sets TSR bits, reloads, drives VMP_PIT/FIT/WDT; a watchdog reset becomes an event. */
void timers_run(struct vm *vm, u32 now);
/*
 * Ticks until timers_run() has something to do; TIMERS_FAR: none known, look again then. So far that it can be compared
 * with the end of a window that is over already (LATE_LIMIT), and with one that is as long as can be.
 */
u32 timers_left(const struct vm *vm, u32 now);
#define TIMERS_FAR 0x3fffffffu

/* Input may have come, from any core: look. */
void uart_poll(struct vm *vm);

/* A data access to guest-physical `gpa` (at `ea`) that is not memory: decode the instruction at pc, emulate, step; or
 * fault event. */
void mmio(struct vm *vm, u32 gpa, u32 ea);

/*
 * Console multiplexer: bytes of VMs out, keys in (console.c). A hardware interrupt of the real UART comes to
 * console_poll(). None of these waits for the line but console_drain(). Interrupts are off.
 */
void console_init(void);
/* Put bytes of this VM's, or CONSOLE_KERNEL's, behind all that waits on this core; CONSOLE_LONGEST at most. Returns how
 * many were taken: fewer than `n` if too many of its bytes wait already. */
u32 console_write(u32 id, const volatile u8 *bytes, u32 n);
bool console_putc(u32 id, u8 byte); /* the same for one byte; false: not taken */
#define CONSOLE_LONGEST 80          /* a line of hal_report() */
u32 console_room(u32 id);           /* bytes that console_write() will take now */
void console_send(void);            /* give the line what its FIFO takes; the transmitter's interrupt sends the rest */
void console_ask(void);             /* have the transmitter's interrupt call console_poll(), though nothing may wait */
void console_drain(void);           /* the end of a run: wait until all is out, or the line is dead */
void console_poll(void);
#define CONSOLE_KERNEL       0xfe
#define CONSOLE_KERNEL_QUOTA 160 /* two lines */
/* report.c: say the next event that hal_report_event() left. Returns false if there is none. */
bool report_next(void);
bool report_waits(void);
/* The alarm was served: what waits for the transmitter may interrupt again. */
void console_alarm_passed(void);

/* The hardware interrupt controller: init masks all; irq_external() serves what is raised (UART0, lent devices). */
void irq_init(void);
void irq_external(void);

#endif
