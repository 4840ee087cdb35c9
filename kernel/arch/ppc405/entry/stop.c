/* SPDX-License-Identifier: MIT */
/* stop.c - ends a core and the board's run, and handles exceptions in the kernel. */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/upcalls.h>
#include <board/console.h>
#include <partition/partition.h>
#include <wcet.h>

__optional bool lent_fault(u32 pc) { return false; } /* without CONFIG_DRIVER */

void hal_core_stop(void)
{
    NEVER_RETURNS();
    console_drain();
    mtspr(SPR_TCR, 0);
    for (;;)
        __asm__ volatile("mtmsr %0; isync" ::"r"(MSR_WE));
}

void hal_board_reset(void)
{
    NEVER_RETURNS();
    console_drain();
    mtspr(SPR_DBCR0, DBCR0_RST_SYSTEM);
    hal_core_stop();
}

void kernel_fault(u32 vector, u32 srr1, u32 srr0)
{
    bool acted = srr0 == (u32)(uintptr_t)fetch_guest || srr0 == (u32)(uintptr_t)fetch_device || lent_fault(srr0);
    if (core.current && (acted || (vector == VEC_MCHECK && (srr1 & MSR_PR)))) { /* the kernel's state is whole */
        fault_event(core.current, vector, srr0);
        return;
    }
    NEVER_RETURNS();
    hal_report("kernel fault", vector, srr1);
    hal_report("pc, dear", srr0, mfspr(SPR_DEAR));
    hal_core_stop();
}
