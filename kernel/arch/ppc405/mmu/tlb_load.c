/* SPDX-License-Identifier: MIT */
/* tlb_load.c - the hypercall that ends a paravirtualized TLB miss handler. It replaces two tlbwe, mtspr PID and rfi. */
#include <arch/entry.h>
#include <arch/mmu.h>
#include <partition/partition.h>

void tlb_load(struct vm *vm)
{
    struct regpage *regs = regs_of(vm);
    guest_tlbwe(vm, regs->scratch[1], 1, regs->scratch[3]);
    guest_tlbwe(vm, regs->scratch[1], 0, regs->scratch[2]);
    if (core.current != vm) /* a fault event has stopped the VM */
        return;
    mmu_set_pid(vm, regs->scratch[4]);
    vm->ctx.gpr[11] = regs->scratch[0];
    vm->ctx.pc = regs->srr0 & ~3u;
    regs->msr = regs->srr1 & MSR_VALID;
}
