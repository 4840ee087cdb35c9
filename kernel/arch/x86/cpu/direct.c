/* SPDX-License-Identifier: MIT */
/* direct.c - the architecture's sensitive functions where nothing can slip beneath the kernel (arch/direct.h). */
#include <arch/apic.h>
#include <arch/direct.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <hal/cpu.h>
#include <hal/time.h>

void apic_eoi(void) { apic_write(APIC_EOI, 0); }

void hal_timer_arm(ticks_t deadline) { time_alarm_at(deadline); }
void hal_ipi_resched(unsigned cpu) { apic_icr(cpus[cpu]->arch.apic_id, VEC_IPI); }
void hal_stop_others(void) { apic_stop_others(); }
