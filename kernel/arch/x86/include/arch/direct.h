/* SPDX-License-Identifier: MIT */
/*
 * arch/direct.h - what the kernel's sensitive functions come to on the hardware. cpu/direct.c, board/pc/console.c and
 * board/pc/power.c are those functions where the kernel has the hardware; where it can have a layer beneath,
 * attach/self/object.c and selfvirt/layer.c are, and the native object and the layer call these.
 */
#ifndef AMALGAM_ARCH_DIRECT_H
#define AMALGAM_ARCH_DIRECT_H

#include <types.h>

/* hal_timer_arm(), hal_stop_others() */
void time_alarm_at(ticks_t deadline);
void apic_stop_others(void);
/* hal_power_off(), of a board whose ACPI tables name the registers (board/pc/power_acpi.c) */
void acpi_power_off(void);

#endif
