/* SPDX-License-Identifier: MIT */
/* power.c - power-off by the firmware. */
#include <arch/sbi.h>
#include <hal/cpu.h>

void hal_power_off(void) { sbi_shutdown(); }
