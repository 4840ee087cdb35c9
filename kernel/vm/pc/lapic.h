/* SPDX-License-Identifier: MIT */
/*
 * lapic.h - what the three files of the local APIC share: lapic.c (interrupts waiting
 * and in service), lapic_timer.c, lapic_regs.c (registers and messages).  The rest of
 * the virtual PC uses pc.h.
 */
#ifndef AMALGAM_VM_PC_LAPIC_H
#define AMALGAM_VM_PC_LAPIC_H

#include "pc.h"

#define LVT_MASKED (1u << 16)
#define SVR_ENABLE (1u << 8)

static inline unsigned class_of(unsigned vector) { return vector >> 4; }

/* lapic.c: the guest's write to the EOI register. */
void lapic_eoi(struct pc_vcpu *v);

/* lapic_timer.c */
enum { MODE_ONESHOT, MODE_PERIODIC, MODE_DEADLINE };
static inline unsigned lapic_timer_mode(const struct lapic *a) { return a->lvt[LVT_TIMER] >> 17 & 3; }
void lapic_timer_init(struct pc_vcpu *v);
/* The initial count was written: count from there, or stop if it is 0. */
void lapic_timer_start(struct pc_vcpu *v);
void lapic_timer_stop(struct lapic *a);
/* The current count register; 0 in deadline mode. */
u32 lapic_timer_count(const struct lapic *a);

#endif
