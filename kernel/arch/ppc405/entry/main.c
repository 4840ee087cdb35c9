/* SPDX-License-Identifier: MIT */
/*
 * main.c - starts a core, and handles exits: vm_exit() is called when a guest stops for a reason that no fast path
 * handles.
 */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/mmu.h>
#include <arch/upcalls.h>
#include <board/board.h>
#include <board/console.h>
#include <board/irq.h>
#include <partition/partition.h>

__init_text void kernel_main(void)
{
    core.id = *(const volatile u32 *)CORE_ID_WORD;
    console_init();
    irq_init();
    mmu_init();
    mtspr(SPR_TCR, TCR_PIE);
    if (partition_start())
        hal_core_stop();
    hal_alarm_update();
}

void before_resuming(void)
{
    struct vm *vm = core.current;
    if (vm && !deliver_pending(vm))
        partition_sleep(vm);
}

void vm_exit(u32 vector)
{
    struct vm *vm = core.current;

    switch (vector) {
    case VEC_PROGRAM: exit_program(vm); break;
    case VEC_DSI:
    case VEC_DTLB: mmu_fault(vm, vector, mfspr(SPR_DEAR), mfspr(SPR_ESR)); break;
    case VEC_ISI:
    case VEC_ITLB: mmu_fault(vm, vector, vm->ctx.pc, mfspr(SPR_ESR)); break;
    case VEC_ALIGN: deliver_data(vm, VEC_ALIGN, mfspr(SPR_DEAR), regs_of(vm)->esr); break;
    case VEC_EXTERNAL: irq_external(); break;
    }
}
