/* SPDX-License-Identifier: MIT */
/* context.c - a VM's registers that an exit does not save: loaded and stored at a switch, set at its start. */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/mmu.h>
#include <arch/previrt.h>
#include <partition/partition.h>
#include <string.h>
#include <wcet.h>

__optional void fast_reset(struct vm *vm) {} /* without CONFIG_FAST */
/* Without CONFIG_PREVIRT no guest has stubs. */
__optional void previrt_reset(struct vm *vm) { vm->stubs = PREVIRT_NONE; }

/* Load the registers that the guest's programs reach without a trap. They stay in the hardware while it is current. */
static __attribute__((noinline)) void context_load(struct vm *vm)
{
    struct regpage *regs = regs_of(vm);
    quirk_usprg0();
    mtspr(SPR_SPRG4, regs->sprg[4]);
    mtspr(SPR_SPRG5, regs->sprg[5]);
    mtspr(SPR_SPRG6, regs->sprg[6]);
    mtspr(SPR_SPRG7, regs->sprg[7]);
    quirk_srr23_store(regs->srr2, regs->srr3);
    mmu_switch(vm);
}

void hal_save(void)
{
    struct vm *vm = core.current;
    if (vm)
        quirk_srr23_load(&regs_of(vm)->srr2, &regs_of(vm)->srr3);
}

__attribute__((noinline)) void hal_switch(struct vm *next)
{
    core.current = next;
    if (next)
        context_load(next);
}

/* Clear the members from `first` to before `end`. memset() (memops.c) bounds the length. */
#define CLEAR(vm, first, end) memset(&(vm)->first, 0, offsetof(struct vm, end) - offsetof(struct vm, first))

void vm_context_clear(struct vm *vm, u32 piece)
{
    if (piece == 0)
        memset(regs_of(vm), 0, sizeof(struct regpage));
    else if (piece == 1)
        CLEAR(vm, ctx, base);
    else if (piece == 2)
        CLEAR(vm, uic, uart.rx_head); /* the timers lie between them */
    else
        CLEAR(vm, tlb_hi, part);
}
_Static_assert(offsetof(struct vm, part) - offsetof(struct vm, tlb_hi) <= LOAD_STEP, "bound");

void vm_context_reset(struct vm *vm)
{
    regs_of(vm)->ccr0 = 0x00700000;
    regs_of(vm)->sgr = 0xffffffff;
    regs_of(vm)->dbsr = 0x300; /* MRR: the last reset was one of the system */
    vm->ctx.pc = vm->conf->entry;
    for (unsigned i = 0; i < ARRAY_SIZE(vm->conf->gpr); i++) {
        LOOP_BOUND(ARRAY_SIZE(vm->conf->gpr));
        vm->ctx.gpr[3 + i] = vm->conf->gpr[i];
    }
    previrt_reset(vm);
    fast_reset(vm);
    mmu_reset(vm);
    devices_reset(vm);
}

/*
 * The instruction cache does not snoop. Storing a word makes QEMU drop its translation of the code; icbi alone does not
 * if another core has stored it.
 */
void code_written(void *p, u32 size)
{
    for (u32 a = (u32)p & ~31u; a < (u32)p + size; a += 32) {
        quirk_touch_code(a);
        __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0" ::"r"(a) : "memory");
        LOOP_BOUND(LOAD_STEP / 32 + 1);
    }
    __asm__ volatile("sync; isync" ::: "memory");
}
