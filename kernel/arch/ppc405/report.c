/* SPDX-License-Identifier: MIT */
/* report.c - what the kernel itself has to say: names and hexadecimal numbers; and the end of a core. */
#include <arch/cpu.h>
#include <arch/devices.h>
#include <arch/entry.h>
#include <arch/upcalls.h>
#include <core/partition.h>
#include <wcet.h>

static void put(const char *s)
{
    for (; *s; s++) {
        console_putc(CONSOLE_KERNEL, (u8)*s);
        LOOP_BOUND(32); /* our own words are shorter */
    }
}

static void put_hex(u32 v)
{
    put(" ");
    for (int shift = 28; shift >= 0; shift -= 4) {
        console_putc(CONSOLE_KERNEL, (u8) "0123456789abcdef"[v >> shift & 15]);
        LOOP_BOUND(8);
    }
}

void hal_report(const char *what, u32 a, u32 b)
{
    put("amalgam: core ");
    console_putc(CONSOLE_KERNEL, (u8)('0' + core.id));
    put(": ");
    put(what);
    put_hex(a);
    put_hex(b);
    put("\r\n");
}

void hal_core_stop(void)
{
    NEVER_RETURNS();
    mtspr(SPR_TCR, 0);
    for (;;)
        __asm__ volatile("mtmsr %0; isync" ::"r"(MSR_WE));
}

void hal_board_reset(void)
{
    mtspr(SPR_DBCR0, DBCR0_RST_SYSTEM);
    hal_core_stop();
}

void kernel_fault(u32 vector, u32 srr1, u32 srr0)
{
    NEVER_RETURNS();
    hal_report("kernel fault", vector, srr1);
    hal_report("pc, dear", srr0, mfspr(SPR_DEAR));
    if (srr0 != (u32)(uintptr_t)fetch_guest || !core.current)
        hal_core_stop();
    vm_event(core.current, PT_ON_FAULT, vector, srr0); /* its registers are lost, the kernel's state is whole */
}
