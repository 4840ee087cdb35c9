/* SPDX-License-Identifier: MIT */
/* power.c - the machine's power, where nothing can slip beneath the kernel (arch/direct.h). */
#include <arch/direct.h>
#include <hal/cpu.h>

void hal_power_off(void) { acpi_power_off(); }
