/* SPDX-License-Identifier: MIT */
/* cpu.c - interrupts and the tick by the processor's own instructions. */
#include "../rtos.h"

const char cpu_kind[] = "native";

u32 cpu_lock(void)
{
    u32 before = mfmsr();
    __asm__ volatile("wrteei 0" : : : "memory");
    return before;
}

void cpu_unlock(u32 before) { __asm__ volatile("wrtee %0" : : "r"(before) : "memory"); }

void cpu_start_tick(u32 length)
{
    mtspr(SPR_TSR, ~0u);
    mtspr(SPR_TCR, TCR_PIE | TCR_ARE);
    mtspr(SPR_PIT, length);
}

/* On QEMU's board ENW must be written with PIS; this guest does not use the watchdog. */
void cpu_tick_taken(void) { mtspr(SPR_TSR, TSR_PIS | TSR_ENW); }

void cpu_idle(void) { mtmsr(mfmsr() | MSR_WE); }

bool cpu_window(u32 *late, u32 *late_max)
{
    (void)late;
    (void)late_max;
    return false;
}
