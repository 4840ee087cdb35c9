/* SPDX-License-Identifier: MIT */
/* deliver.c - delivers exceptions and interrupts: arch/deliver.h. syscall.S and pit.S have faster paths for system
 * calls and the PIT. */
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/previrt.h>
#include <partition/partition.h>
#include <wcet.h>

__optional void previrt_leave_stub(struct vm *vm) {} /* without CONFIG_PREVIRT */

static void enter_vector(struct vm *vm, u32 vector, u32 kept)
{
    struct regpage *regs = regs_of(vm);
    regs->msr &= kept;
    vm->ctx.pc = (regs->evpr & 0xffff0000) | vector;
}

void deliver(struct vm *vm, u32 vector)
{
    struct regpage *regs = regs_of(vm);
    previrt_leave_stub(vm);
    regs->srr0 = vm->ctx.pc;
    regs->srr1 = regs->msr;
    enter_vector(vm, vector, MSR_KEPT);
}

static void deliver_critical(struct vm *vm, u32 vector)
{
    struct regpage *regs = regs_of(vm);
    previrt_leave_stub(vm);
    regs->srr2 = vm->ctx.pc;
    regs->srr3 = regs->msr;
    quirk_srr23_store(regs->srr2, regs->srr3);
    enter_vector(vm, vector, MSR_ME);
}

void fault_event(struct vm *vm, u32 code, u32 ea)
{
    partition_event(vm, PT_ON_FAULT, code, ea);
    if (core.current == vm) /* otherwise another VM's values may be in the hardware's SRR2 and SRR3 */
        deliver_critical(vm, VEC_MCHECK);
}

void deliver_program(struct vm *vm, u32 esr)
{
    regs_of(vm)->esr = esr;
    deliver(vm, VEC_PROGRAM);
}

void deliver_data(struct vm *vm, u32 vector, u32 ea, u32 esr)
{
    regs_of(vm)->dear = ea;
    regs_of(vm)->esr = esr;
    deliver(vm, vector);
}

void deliver_instruction(struct vm *vm, u32 vector, u32 esr)
{
    regs_of(vm)->esr = esr;
    deliver(vm, vector);
}

/* In the order of PPC405 UM 10.1; the most urgent is first. */
static const struct {
    u16 vector;
    u8 bit;
    bool critical;
} order[] = {
    { VEC_CRITICAL, VMP_CRITICAL, true }, { VEC_WDT, VMP_WDT, true },  { VEC_EXTERNAL, VMP_EXTERNAL, false },
    { VEC_FIT, VMP_FIT, false },          { VEC_PIT, VMP_PIT, false },
};

bool deliver_pending(struct vm *vm)
{
    u32 msr = regs_of(vm)->msr;

    if (!vm->pending)
        return !(msr & MSR_WE);
    for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
        LOOP_BOUND(ARRAY_SIZE(order));
        if (!(vm->pending & order[i].bit) || !(msr & (order[i].critical ? MSR_CE : MSR_EE)))
            continue;
        if (order[i].critical)
            deliver_critical(vm, order[i].vector);
        else
            deliver(vm, order[i].vector);
        return true;
    }
    return !(msr & MSR_WE);
}
