/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_registers.h (VT-x) - registers that an exit leaves as the guest had them, and that a program can see or
 * use (vmx/user.c): KERNEL_GS_BASE, the MSRs of SYSCALL, TSC_AUX; and a limit of the GDT that is no guest's, but VT-x'.
 */
#ifndef AMALGAM_ARCH_GUEST_REGISTERS_H
#define AMALGAM_ARCH_GUEST_REGISTERS_H

#include <core/cpu.h>

/* Exits load what does not change from the VMCS. */
static inline void host_registers_keep(const struct arch_cpu *a) { (void)a; }

/* Return whether a guest may have run on this core since guest_registers_remove(). */
static inline bool guest_registers_left(const struct arch_cpu *a) { return a->host_vmcb; }

/* Take off the core what a guest has left; the kernel's STAR and the three MSRs behind it are `syscalls`. */
void guest_registers_remove(struct arch_cpu *a, const u64 *syscalls);

#endif
