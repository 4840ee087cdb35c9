/* SPDX-License-Identifier: MIT */
/* idle.c - a hart waits, or stops. WFI returns when an interrupt is pending, also when interrupts are off (3.3.3). */
#include <arch/cpu.h>
#include <hal/cpu.h>

void hal_idle(void)
{
    __asm__ volatile("wfi" ::: "memory");
    irq_enable();
    irq_disable();
}

void hal_halt(void)
{
    irq_disable();
    csr_write(sie, 0);
    for (;;)
        __asm__ volatile("wfi");
}
