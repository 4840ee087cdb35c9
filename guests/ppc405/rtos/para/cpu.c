/* SPDX-License-Identifier: MIT */
/*
 * cpu.c - interrupts without a trap: MSR[EE] is a bit of the register page. After setting it the guest checks whether
 * an interrupt is pending, and only then calls the hypervisor.
 */
#include "../rtos.h"
#include <amalgam_calls.h>
#include <arch/vm.h>

const char cpu_kind[] = "paravirtualized";
#define page ((volatile struct regpage *)REGPAGE_EA)

u32 cpu_lock(void)
{
    u32 before = page->msr;
    page->msr = before & ~MSR_EE;
    barrier();
    return before;
}

void cpu_unlock(u32 before)
{
    barrier();
    if (!(before & MSR_EE))
        return;
    page->msr = before;
    if (page->attention)
        amalgam_mtmsr(before);
}

void cpu_start_tick(u32 length)
{
    amalgam_mtspr(SPR_TSR, ~0u);
    amalgam_mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    amalgam_mtspr(SPR_PIT, length);
}

void cpu_tick_taken(void) { amalgam_mtspr(SPR_TSR, TSR_PIS); }

void cpu_idle(void) { amalgam_yield(); }

bool cpu_window(u32 *late, u32 *late_max)
{
    *late = (u32)amalgam_window_info(AMALGAM_WINDOW_INFO_LATE);
    *late_max = (u32)amalgam_window_info(AMALGAM_WINDOW_INFO_LATE_MAX);
    return true;
}
