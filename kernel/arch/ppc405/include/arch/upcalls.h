/* SPDX-License-Identifier: MIT */
/* arch/upcalls.h - C functions that the assembly code calls, and names that both share. */
#ifndef AMALGAM_ARCH_UPCALLS_H
#define AMALGAM_ARCH_UPCALLS_H

#include <arch/vm.h>

void kernel_main(void);
/* The guest of core.current has stopped, and its context is saved. `vector` is the hardware's. */
void vm_exit(u32 vector);
/* Called before a VM goes on that has something pending or MSR[WE] set. Delivers the interrupts that it can take, or
 * lets the core sleep. */
void before_resuming(void);
/*
 * An exception that is not the guest's. If the kernel acted for the current guest (it fetched the guest's instruction,
 * it accessed a lent control register, or a machine check came while the guest ran), this is a fault event of that
 * guest, whose registers are lost unless the control register was the reason. Otherwise it is reported, and this core
 * ends.
 */
void kernel_fault(u32 vector, u32 srr1, u32 srr0);

/* The two instructions that read through the guest's translation: emulate.S, device.S. */
extern const char fetch_guest[], fetch_device[];

/* Returns whether the kernel's instruction at `pc` is that of lent_call(). */
bool lent_fault(u32 pc);

/* A program exception that is not a privileged instruction of the guest's privileged mode. */
void exit_program(struct vm *vm);
/* The hardware's alarm has expired. */
void alarm_passed(void);

#endif
