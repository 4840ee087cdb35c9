/* SPDX-License-Identifier: MIT */
/* tlb_none.c - without CONFIG_TLBV: the virtual TLB stays empty, a guest that turns translation on is stopped. */
#include "mmu.h"
#include <core/partition.h>

u32 translated_view(struct vm *vm, u32 mode, u32 ea, u32 need, u32 *esr, struct view *v)
{
    vm_event(vm, PT_ON_FAULT, EVENT_TLB_NONE, ea);
    return REFUSED;
}

void tlb_reset(struct vm *vm) { vm->space_pid[MODE_TRANSLATED] = SPACE_PID; }
void mmu_set_pid(struct vm *vm, u32 value) { regs_of(vm)->pid = value & 0xff; }
void mmu_set_zpr(struct vm *vm, u32 value) { regs_of(vm)->zpr = value; }
void guest_tlbwe(struct vm *vm, u32 index, u32 ws, u32 value) {}
u32 guest_tlbre(struct vm *vm, u32 index, u32 ws) { return 0; }
int guest_tlbsx(struct vm *vm, u32 ea) { return -1; }
void guest_tlbia(struct vm *vm) {}
