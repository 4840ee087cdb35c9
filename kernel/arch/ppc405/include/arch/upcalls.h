/* SPDX-License-Identifier: MIT */
/* arch/upcalls.h - what the assembly part calls, and names that it shares with C. */
#ifndef AMALGAM_ARCH_UPCALLS_H
#define AMALGAM_ARCH_UPCALLS_H

#include <arch/vm.h>

void kernel_main(void);
/* The guest of core.current stopped; its context is saved. `vector`: of the hardware, or EXIT_PENDING. */
void vm_exit(u32 vector, u32 insn);
/* An exception of the kernel itself: reported; ends this core, or the guest on whose behalf it was. */
void kernel_fault(u32 vector, u32 srr1, u32 srr0);

extern const char fetch_guest[]; /* the one instruction that reads by the guest's translation */

/* Program exception that emulate.S has not dealt with; insn 0: not fetched. */
void exit_program(struct vm *vm, u32 insn);
/* The hardware alarm. */
void alarm_passed(void);

#endif
