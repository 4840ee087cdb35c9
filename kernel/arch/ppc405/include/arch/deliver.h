/* SPDX-License-Identifier: MIT */
/*
 * arch/deliver.h - exceptions and interrupts of the guest (PPC405 UM chapter 10).
 *
 * deliver() makes the guest take an exception now: it sets SRR0 and SRR1 (SRR2 and SRR3 for critical ones), clears MSR
 * bits as the manual says, and sets pc to EVPR + vector. Interrupts are marked as pending. As soon as MSR[EE] (MSR[CE])
 * allows, deliver_pending() delivers the one of the highest priority.
 */
#ifndef AMALGAM_ARCH_DELIVER_H
#define AMALGAM_ARCH_DELIVER_H

#include <arch/vm.h>

void deliver(struct vm *vm, u32 vector);                       /* without a syndrome: SC, PIT, external ... */
void deliver_program(struct vm *vm, u32 esr);                  /* ESR_PIL, ESR_PPR, ESR_PTR */
void deliver_data(struct vm *vm, u32 vector, u32 ea, u32 esr); /* DSI, DTLB: sets DEAR and ESR; alignment: DEAR */
void deliver_instruction(struct vm *vm, u32 vector, u32 esr);  /* ISI (ESR), ITLB */
/* Deliver a pending interrupt if one is allowed. Returns false if none is and the guest waits for one (MSR[WE]). */
bool deliver_pending(struct vm *vm);

/* Set the pending bits under `mask` to `bits`. */
static inline void vm_set_pending(struct vm *vm, u32 mask, u32 bits)
{
    regs_of(vm)->attention = vm->pending = (vm->pending & ~mask) | bits;
}
/*
 * Report a fetch or an access that cannot be shown to the guest. The guest's table says what follows. If it says that
 * the fault is ignored, the guest gets a machine check as from a bus error, whatever MSR[ME] is. A VM that is stopped
 * or started again gets new registers anyway.
 */
void fault_event(struct vm *vm, u32 code, u32 ea);

/* Execute lent_code[0], an instruction of the current guest's choice, with `value` in r3 (lent_call.c). Returns r3. If
 * it faults, it does not return: that is a fault event of the guest, which goes on at its pc at most. */
u32 lent_call(u32 value);
extern u32 lent_code[];

/* Go on after the instruction at pc. */
static inline void step(struct vm *vm) { vm->ctx.pc += 4; }

/* Emulate the privileged instruction at pc (emulate.c). Hypercalls that stand for an instruction use it, too. */
void emulate(struct vm *vm, u32 insn);
/* Read and write a special purpose register. A number without a register does nothing. Returns false if the access is
 * refused by a privileged instruction exception. */
bool spr_read(struct vm *vm, u32 spr, u32 *value);
bool spr_write(struct vm *vm, u32 spr, u32 value);

#endif
