/* SPDX-License-Identifier: MIT */
/* idle.c - how a core waits and how it stops. */
#include <arch/cpu.h>
#include <hal/cpu.h>

/* STI takes effect after the next instruction, so no interrupt slips in between. */
void hal_idle(void) { __asm__ volatile("sti; hlt; cli" ::: "memory"); }

void hal_halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}
