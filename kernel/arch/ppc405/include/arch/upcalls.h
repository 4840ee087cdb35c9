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
/* An exception of the kernel itself: reported; ends this core, or the guest on whose behalf it was. */
void kernel_fault(u32 vector, u32 srr1, u32 srr0);

extern const char fetch_guest[]; /* the one instruction that reads by the guest's translation */

/* Program exception that is no privileged instruction of the guest's privileged mode. */
void exit_program(struct vm *vm);
/* The hardware alarm. */
void alarm_passed(void);

#endif
