/* SPDX-License-Identifier: MIT */
/*
 * arch/mmu.h - guest address spaces on the hardware TLB (docs/shadow-tlb.md).
 *
 * The hardware TLB holds the guest that is current on this core, and nothing else. Its entries are shadows: they map
 * guest-virtual (untranslated: guest-physical) to host-physical addresses, with one hardware PID for each address space
 * of the guest. real.c handles real mode only. With CONFIG_TLBV mmu.c, shadow.c and tlb.c implement the virtual TLB
 * instead.
 */
#ifndef AMALGAM_ARCH_MMU_H
#define AMALGAM_ARCH_MMU_H

#include <arch/vm.h>

/* Initialize this core's TLB: empty, with harmless values of the hardware's ZPR and PID. */
void mmu_init(void);
/* Reset the virtual MMU. Sets space_pid, mode_zpr and the first area. */
void mmu_reset(struct vm *vm);
/* `vm` becomes current on this core. Drops the shadows of the previous VM, or of the previous start of `vm`. */
void mmu_switch(struct vm *vm);

/*
 * Handle a missing or wrong translation; `vector` is VEC_DTLB, VEC_ITLB, VEC_DSI or VEC_ISI. Fills the TLB, delivers
 * the guest's own exception, calls mmio(), or reports a fault event.
 */
void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr);

/* The guest has written PID or ZPR. The fast paths handle the cases that need no purge. */
void mmu_set_pid(struct vm *vm, u32 value);
void mmu_set_zpr(struct vm *vm, u32 value);

/* Make host memory visible at `gpa`, besides the VM's own. (mmu_reset() makes that areas[0] and drops the others.) */
bool mmu_add_area(struct vm *vm, u32 gpa, u32 size, u32 hpa, u32 lo);

/* The TLB instructions; `index` and `ws` are from the instruction. Without CONFIG_TLBV they behave as with an empty
 * TLB. */
void guest_tlbwe(struct vm *vm, u32 index, u32 ws, u32 value);
u32 guest_tlbre(struct vm *vm, u32 index, u32 ws); /* ws 0 also loads the guest's PID from the entry's TID */
int guest_tlbsx(struct vm *vm, u32 ea);            /* returns the index, or -1 */
void guest_tlbia(struct vm *vm);
/* tlb_load.c: the hypercall of that name. */
void tlb_load(struct vm *vm);

#endif
