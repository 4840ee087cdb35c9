/* SPDX-License-Identifier: MIT */
/*
 * vm/devices.h - the contract between a PC's old devices (vm/devices/: I/O APIC, 8259 pair, interval timer, clock,
 * power registers, serial ports) and the machine that has them (vm/pc), and the signals between the devices.
 */
#ifndef AMALGAM_VM_DEVICES_H
#define AMALGAM_VM_DEVICES_H

#include <vm/vdev.h>

/* Pointers to a VM's devices; zero at creation, set as they are created. */
struct pc_parts {
    struct ioapic *ioapic;
    struct pc_devices *devices;
    struct uart *uart; /* the first UART gets the console's input */
};
struct pc_parts *pc_parts(struct vm *vm);

int pc_devices_create(struct vm *vm); /* PIT, RTC, i8259, port 61h, PM registers */
int ioapic_create(struct vm *vm);     /* at 0xfec00000, 48 inputs */
void ioapic_line(struct vm *vm, unsigned gsi, bool level);
struct sys_device;
int uart_create(struct vm *vm, const struct sys_device *conf); /* COM1-4 by conf->slot */
bool uart_open(struct vm *vm);                                 /* returns whether a driver waits for input interrupts */
void uart_input(struct vm *vm, u8 byte);                       /* console input; interrupt context */

/* The 8259 pair's output rose: the vCPU whose LINT0 it drives checks i8259_pending() before it next enters. Any
 * context. */
void vm_extint(struct vm *vm);

/* The PIT's edge was sent: call pit_resume() when a vCPU next runs. Any context. */
void vm_request_pit(struct vm *vm);
void pit_resume(struct vm *vm);

/* Deliver an APIC message from the I/O APIC or an IPI. `icr` has vector, delivery mode, logical (bit 11),
 * level-triggered (bit 15) and destination (from bit 32) as x2APIC's ICR. Any context. */
void vm_apic_message(struct vm *vm, u64 icr);
/* ioapic.c: a local APIC ended `vector`; level-triggered entries that are still active send it again. Interrupts must
 * be on. */
void ioapic_eoi(struct vm *vm, unsigned vector);
/* The rest of an EOI by the I/O APIC's register, for the vCPU that wrote it. Interrupts must be on. */
void ioapic_sample(struct vm *vm);
/* The 8259 pair for vm_irq_line() and for LINT0 (virtual wire). Input 2 is the cascade and ignored. Any context. */
void i8259_line(struct vm *vm, unsigned irq, bool level);
bool i8259_pending(struct vm *vm);
/* The interrupt acknowledge cycle: returns a vector, or -1 if the request is gone. */
int i8259_ack(struct vm *vm);

#endif
