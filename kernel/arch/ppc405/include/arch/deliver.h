/* SPDX-License-Identifier: MIT */
/*
 * arch/deliver.h - exceptions and interrupts of the guest (PPC405 UM chapter 10).
 *
 * deliver() makes the guest take an exception now: SRR0/SRR1 (or SRR2/SRR3 for critical ones), the
 * MSR bits cleared as the manual says, pc at EVPR + vector.  Interrupts are marked pending
 * and delivered, one, in the manual's order of priority, by deliver_pending() as soon as
 * MSR[EE] (MSR[CE]) allows.
 */
#ifndef AMALGAM_ARCH_DELIVER_H
#define AMALGAM_ARCH_DELIVER_H

#include <arch/vm.h>

void deliver(struct vm *vm, u32 vector);                       /* SC, PIT, external ...: no syndrome */
void deliver_program(struct vm *vm, u32 esr);                  /* ESR_PIL, ESR_PPR, ESR_PTR */
void deliver_data(struct vm *vm, u32 vector, u32 ea, u32 esr); /* DSI, DTLB: sets DEAR and ESR; alignment: DEAR */
void deliver_instruction(struct vm *vm, u32 vector, u32 esr);  /* ISI (ESR), ITLB */
/* False: nothing to take, and the guest waits for it (MSR[WE]). */
bool deliver_pending(struct vm *vm);

/* Of the bits of `mask`, just these are pending now. */
static inline void vm_set_pending(struct vm *vm, u32 mask, u32 bits)
{
    regs_of(vm)->attention = vm->pending = (vm->pending & ~mask) | bits;
}
/*
 * A fetch or an access that cannot be shown to the guest: its table says what follows.  Who ignores it gets a machine
 * check, as from a bus error (whatever MSR[ME] says); a VM that stops or starts again has its registers made anew
 * anyway.
 */
void fault_event(struct vm *vm, u32 code, u32 ea);

/* After the instruction at pc. */
static inline void step(struct vm *vm) { vm->ctx.pc += 4; }

/* Emulate one privileged instruction at pc (emulate.c); also behind the hypercalls that stand for instructions. */
void emulate(struct vm *vm, u32 insn);
/* A number that no register has does nothing. False: refused, a privileged instruction exception. */
bool spr_read(struct vm *vm, u32 spr, u32 *value);
bool spr_write(struct vm *vm, u32 spr, u32 value);

#endif
