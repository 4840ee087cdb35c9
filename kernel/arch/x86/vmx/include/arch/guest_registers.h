/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_registers.h (VT-x) - registers that an exit leaves as the guest had them, and that a program can see or
 * use (vmx/user.c): KERNEL_GS_BASE, the MSRs of SYSCALL, TSC_AUX; and a limit of the GDT that is no guest's, but VT-x'.
 */
#ifndef AMALGAM_ARCH_GUEST_REGISTERS_H
#define AMALGAM_ARCH_GUEST_REGISTERS_H

#include <core/cpu.h>

/* The MSRs of SYSCALL are the kernel's from now on. Exits load what else does not change from the VMCS. */
void host_registers_keep(struct arch_cpu *a);

/* Return whether a program must not get the registers of this core: a guest has run since guest_registers_remove(), or
 * the firmware's TSC_AUX is there. */
bool guest_registers_left(const struct arch_cpu *a);

/* Take off the core what a guest has left; the kernel's STAR and the three MSRs behind it are `syscalls`. */
void guest_registers_remove(struct arch_cpu *a, const u64 *syscalls);

#endif
