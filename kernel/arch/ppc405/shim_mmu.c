/* SPDX-License-Identifier: MIT */
/* shim_mmu.c - until the MMU is here: real mode with 1 MiB pages, the real UART passed through. */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/mmu.h>
#include <core/partition.h>

static u32 slot;

static void fill(u32 ea, u32 hpa, u32 size, u32 flags)
{
    u32 mask = ~((1024u << 2 * size) - 1);
    __asm__ volatile("tlbwe %0,%2,1; tlbwe %1,%2,0; isync" ::"r"((hpa & mask) | flags),
                     "r"((ea & mask) | TLBHI_SIZE(size) | TLBHI_V), "r"(slot++ & 63)
                     : "memory");
}

void mmu_init(void)
{
    __asm__ volatile("tlbia; isync");
    mtspr(SPR_ZPR, 0x5f000000);
}
void mmu_reset(struct vm *vm)
{
    for (u32 i = 0; i < 4; i++)
        vm->space_pid[i] = 1 + i;
    vm->mode_zpr[0] = 0x5f000000;
    vm->mode_zpr[1] = 0x17000000;
}
void mmu_switch(struct vm *vm) { __asm__ volatile("tlbia; isync"); }
void mmu_fault(struct vm *vm, u32 vector, u32 ea, u32 esr)
{
    if (ea < vm->size)
        fill(ea, vm->base + ea, 3, TLBLO_EX | TLBLO_WR | TLBLO_ZSEL(1));
    else if (ea >> 12 == 0xef600)
        fill(ea, ea, 1, TLBLO_WR | TLBLO_ZSEL(1));
    else
        vm_event(vm, PT_ON_FAULT, vm->ctx.pc, ea);
}
void mmu_set_pid(struct vm *vm, u32 value)
{
    regs_of(vm)->pid = value;
    vm->space_pid[3] = 4 + value;
}
void mmu_set_zpr(struct vm *vm, u32 value) { regs_of(vm)->zpr = value; }
void guest_tlbwe(struct vm *vm, u32 index, u32 ws, u32 value) {}
u32 guest_tlbre(struct vm *vm, u32 index, u32 ws) { return 0; }
int guest_tlbsx(struct vm *vm, u32 ea) { return -1; }
void guest_tlbia(struct vm *vm) {}
