/* SPDX-License-Identifier: MIT */
/* arch/apic.h (x86) - the physical local APIC and I/O APICs. */
#ifndef AMALGAM_ARCH_APIC_H
#define AMALGAM_ARCH_APIC_H

#include <types.h>

/* APIC register numbers (the xAPIC offset / 16, which is also the x2APIC MSR - 0x800). */
enum apic_reg {
    APIC_ID = 0x02,
    APIC_VERSION = 0x03,
    APIC_TPR = 0x08,
    APIC_EOI = 0x0b,
    APIC_LDR = 0x0d,
    APIC_SVR = 0x0f,
    APIC_ISR = 0x10, /* the first of eight registers: a bit for each vector in service */
    APIC_ICR = 0x30,
    APIC_ICR_HIGH = 0x31,
    APIC_LVT_TIMER = 0x32,
    APIC_LVT_THERMAL = 0x33,
    APIC_LVT_COUNTERS = 0x34,
    APIC_LVT_LINT0 = 0x35,
    APIC_LVT_LINT1 = 0x36,
    APIC_LVT_ERROR = 0x37,
    APIC_TIMER_INIT = 0x38,
    APIC_TIMER_COUNT = 0x39,
    APIC_TIMER_DIVIDE = 0x3e,
    APIC_EXTENDED = 0x40, /* AMD's (APM vol. 2, 16.3.3): if the version has the bit below */
    APIC_EXTENDED_CONTROL = 0x41,
    APIC_EXTENDED_LVT = 0x50, /* the first one; APIC_EXTENDED, bits 16-23: their number */
};
#define APIC_IS_EXTENDED (1u << 31)
#define LVT_MASKED       (1u << 16)

/* Set the mode, the same for all cores, and map the registers; `x2apic`: the core has, or is in, that mode. Cpu 0,
 * before any other function. */
void apic_setup(bool x2apic);
extern volatile u32 *apic_registers; /* where they are mapped; NULL: x2APIC */
/* APIC_HAS_X2, apic_is_x2(): whether the mode may be x2APIC, and whether it is; APIC_HAS_DEADLINE: its timer may have a
 * mode of deadlines; apic_read(), apic_write(): this core's registers. */
#include <arch/apic_access.h>
/* Enable this core's local APIC with everything masked. */
void apic_enable(void);
u32 apic_id(void);
void apic_eoi(void);
/* Returns whether `vector` is in service on this core: it came by an interrupt, which apic_eoi() must end. A spurious
 * interrupt or an exception is not in service (APM vol. 2, 16.4.7). */
bool apic_in_service(unsigned vector);
/* Write the interrupt command register. In xAPIC mode this waits until the previous command was delivered. */
void apic_icr(u32 dest, u32 command);
/* Route ISA interrupt `irq` to `vector` on cpu 0, edge-triggered and unmasked. Returns 0, or -ENODEV: no I/O APIC has
 * it. */
int ioapic_route(unsigned irq, unsigned vector);

/* hal_stop_others() was called: the kernel has panicked. */
extern bool cpus_stopping;

#endif
