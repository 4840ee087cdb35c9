/* SPDX-License-Identifier: MIT */
/*
 * pc_parts.h - the devices that only a PC has, and what they tell each other: the IOAPIC, the 8259 pair, the interval
 * timer, the serial ports.
 */
#ifndef AMALGAM_VM_PC_PARTS_H
#define AMALGAM_VM_PC_PARTS_H

#include <vm/vdev.h>

/* Where a VM's are; zero at creation, filled by the creators. */
struct pc_parts {
    struct ioapic *ioapic;
    struct pc_devices *devices;
    struct uart *uart; /* the first one gets the console's input */
};
struct pc_parts *pc_parts(struct vm *vm);

int pc_devices_create(struct vm *vm); /* PIT, RTC, i8259, port 61h, PM registers */
int ioapic_create(struct vm *vm);     /* at 0xfec00000, 48 inputs */
void ioapic_line(struct vm *vm, unsigned gsi, bool level);
struct sys_device;
int uart_create(struct vm *vm, const struct sys_device *conf); /* COM1-4 by conf->slot */
bool uart_open(struct vm *vm);                                 /* a driver waits for input interrupts */
void uart_input(struct vm *vm, u8 byte);                       /* console input; interrupt context */

/* The 8259 pair's output rose: the vCPU whose LINT0 it drives looks at i8259_pending() before it next enters. Any
 * context. */
void vm_extint(struct vm *vm);

/* The PIT's edge went out: call pit_resume() when a vCPU next comes to run. Any context. */
void vm_await_pit(struct vm *vm);
void pit_resume(struct vm *vm);

/* Deliver a message-signalled interrupt: the IOAPIC's and IPIs' way into local APICs. `icr` has vector, delivery mode,
 * logical (bit 11), level-triggered (bit 15) and destination (from bit 32) where x2APIC's ICR has them. Any context. */
void vm_apic_message(struct vm *vm, u64 icr);
/* The IOAPIC implements this: local APIC `vector` was ended (level-triggered redirections re-fire). */
void ioapic_eoi(struct vm *vm, unsigned vector);
/* The 8259 pair as vm_irq_line() and the local APIC's LINT0 (virtual wire) see it; irq 2 is the cascade: ignored. Any
 * context. */
void i8259_line(struct vm *vm, unsigned irq, bool level);
bool i8259_pending(struct vm *vm);
/* The interrupt acknowledge cycle: a vector, or -1 when the request went away meanwhile. */
int i8259_ack(struct vm *vm);

#endif
