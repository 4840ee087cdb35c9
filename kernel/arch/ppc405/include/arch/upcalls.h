/* SPDX-License-Identifier: MIT */
/* arch/upcalls.h - what the assembly part calls, and names that it shares with C. */
#ifndef AMALGAM_ARCH_UPCALLS_H
#define AMALGAM_ARCH_UPCALLS_H

#include <arch/vm.h>

void kernel_main(void);
/* The guest of core.current stopped; its context is saved. `vector` of the hardware. */
void vm_exit(u32 vector);
/* Whoever is current now has something pending, or MSR[WE] set: the interrupts that it can take, or its sleep, before
 * it goes on. */
void before_resuming(void);
/*
 * An exception that is not the guest's. On behalf of the current guest (a fetch of its instruction; a machine check while it
 * ran) it is that guest's fault event, and its registers are lost. Otherwise it is reported, and this core ends.
 */
void kernel_fault(u32 vector, u32 srr1, u32 srr0);

/* The two instructions that read by the guest's translation: emulate.S, device.S. */
extern const char fetch_guest[], fetch_device[];

/* Program exception that is no privileged instruction of the guest's privileged mode. */
void exit_program(struct vm *vm);
/* The hardware alarm. */
void alarm_passed(void);

#endif
