/* SPDX-License-Identifier: MIT */
/*
 * arch/devices.h - the virtual devices of a 405EP guest as the instruction emulation sees them: device control
 * registers, timers, memory-mapped registers. The calls up of this folder: kernel/vm/ppc405/ has them all.
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

/* Timers: SPR TSR TCR PIT (spr.c calls with the register's number). */
u32 timer_read(struct vm *vm, u32 spr);
void timer_write(struct vm *vm, u32 spr, u32 value);

/* A data access to guest-physical `gpa` (at `ea`) that is not memory: decode the instruction at pc, emulate, step; or
 * fault event. */
void mmio(struct vm *vm, u32 gpa, u32 ea);

#endif
