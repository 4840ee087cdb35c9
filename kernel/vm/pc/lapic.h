/* SPDX-License-Identifier: MIT */
/*
 * lapic.h - shared by the three files of the local APIC: lapic.c (interrupts pending and in service), lapic_timer.c,
 * lapic_regs.c (registers and messages). The rest of the virtual PC uses pc.h.
 */
#ifndef AMALGAM_VM_PC_LAPIC_H
#define AMALGAM_VM_PC_LAPIC_H

#include "pc.h"

#define ICR_ASSERT (1u << 14)
#define ICR_SELF   (1u << 18) /* destination shorthand */
#define LVT_MASKED (1u << 16)
#define SVR_ENABLE (1u << 8)

static inline unsigned class_of(unsigned vector) { return vector >> 4; }

/* lapic.c: the guest has written the EOI register. */
void lapic_eoi(struct pc_vcpu *v);

/* lapic_timer.c */
enum { MODE_ONESHOT, MODE_PERIODIC, MODE_DEADLINE };
static inline unsigned lapic_timer_mode(const struct lapic *a) { return a->lvt[LVT_TIMER] >> 17 & 3; }
void lapic_timer_init(struct pc_vcpu *v);
/* The initial count is written: count down from it; 0 stops the timer. Ignored in deadline mode. */
void lapic_timer_start(struct pc_vcpu *v, u32 initial);
void lapic_timer_stop(struct lapic *a);
/* Return the current count register; 0 in deadline mode. */
u32 lapic_timer_count(const struct lapic *a);

#endif
