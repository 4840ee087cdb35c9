/* SPDX-License-Identifier: MIT */
/* idle.c - idles a core. boot/rate.c has another hal_idle(). */
#include <arch/cpu.h>
#include <hal/cpu.h>

/* STI takes effect after the next instruction, so no interrupt comes in between. */
__optional void hal_idle(void) { __asm__ volatile("sti; hlt; cli" ::: "memory"); }
