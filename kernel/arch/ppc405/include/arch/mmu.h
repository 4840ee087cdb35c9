/* SPDX-License-Identifier: MIT */
/*
 * arch/mmu.h - guest address spaces on the hardware TLB (docs/shadow-tlb.md).
 *
 * The hardware TLB shows the guest that is current on this core, and nothing else.
 * It holds shadows: guest-virtual (or, untranslated, guest-physical) to host-physical, one
 * hardware PID per address space of the guest.  real.c serves real mode only;
 * mmu.c, shadow.c and tlb.c (CONFIG_TLBV) have the virtual TLB instead.
 */
#ifndef AMALGAM_ARCH_MMU_H
#define AMALGAM_ARCH_MMU_H

#include <arch/vm.h>

/* This core's TLB: empty, hardware ZPR and PID set to harmless values. */
void mmu_init(void);
/* The virtual MMU as after reset, from zero: sets space_pid, mode_zpr and the first area. */
void mmu_reset(struct vm *vm);
/* `vm` becomes current on this core: forget the shadows of the former one (or of its last life). */
void mmu_switch(struct vm *vm);

/*
 * The hardware found no (right) translation: vector is VEC_DTLB, VEC_ITLB, VEC_DSI or VEC_ISI.
 * Fills and returns, or delivers the guest's own exception, or hands the access to mmio(), or
 * reports a fault event.
 */
void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr);

/* The guest wrote PID, ZPR. The fast paths handle the cases that need no purge. */
void mmu_set_pid(struct vm *vm, u32 value);
void mmu_set_zpr(struct vm *vm, u32 value);

/* Make host memory visible at `gpa` from now on, besides the VM's own (mmu_reset() makes that areas[0] and forgets the
 * others). */
bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo);

/* The TLB instructions; index, ws from the instruction. With CONFIG_TLBV off they behave as on an empty TLB. */
void guest_tlbwe(struct vm *vm, u32 index, u32 ws, u32 value);
u32 guest_tlbre(struct vm *vm, u32 index, u32 ws); /* WS=0 also loads the guest's PID from the entry's TID */
int guest_tlbsx(struct vm *vm, u32 ea);            /* index, or -1 */
void guest_tlbia(struct vm *vm);
/* tlb_load.c: the hypercall of that name. */
void tlb_load(struct vm *vm);

#endif
