/* SPDX-License-Identifier: MIT */
/*
 * arch/devices.h - the virtual devices of a 405EP guest as the instruction emulation uses them: device control
 * registers, timers, memory-mapped registers. kernel/vm/ppc405/ implements all of them.
 *
 * Devices tell the guest by vm_set_pending(). The code that emulates an instruction calls deliver_pending() before the
 * guest goes on.
 */
#ifndef AMALGAM_ARCH_DEVICES_H
#define AMALGAM_ARCH_DEVICES_H

#include <arch/vm.h>

void devices_reset(struct vm *vm); /* reset all of them */
void fast_reset(struct vm *vm);    /* fast.c, after previrt_reset() */

/* Device control registers. A DCR without a device reads as 0 and ignores writes, as on the board's bus. */
u32 dcr_read(struct vm *vm, u32 dcr);
void dcr_write(struct vm *vm, u32 dcr, u32 value);

/* The timers' special purpose registers TSR, TCR and PIT; `spr` is the register's number. */
u32 timer_read(struct vm *vm, u32 spr);
void timer_write(struct vm *vm, u32 spr, u32 value);

/* A data access to guest-physical `gpa` (at `ea`) that is not memory: decode the instruction at pc, emulate it and go
 * on after it, or report a fault event. */
void mmio(struct vm *vm, u32 gpa, u32 ea);

#endif
