/* SPDX-License-Identifier: MIT */
/* idle.c - idles and stops a core. */
#include <arch/cpu.h>
#include <hal/cpu.h>

/* STI takes effect after the next instruction, so no interrupt comes in between. */
void hal_idle(void) { __asm__ volatile("sti; hlt; cli" ::: "memory"); }

void hal_halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}
