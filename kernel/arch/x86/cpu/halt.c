/* SPDX-License-Identifier: MIT */
/* halt.c - stops a core for good. vmx/halt.c replaces it where a core may be in VMX operation. */
#include <arch/cpu.h>
#include <hal/cpu.h>

void hal_halt(void) { halt_for_good(); }
