/* SPDX-License-Identifier: MIT */
/*
 * arch/guest_registers.h (AMD-V) - registers that an exit leaves as the guest had them, and that a program can see or
 * use. VMLOAD and VMSAVE switch those of FS, GS and SYSCALL: an exit loads them from the core's image.
 */
#ifndef AMALGAM_ARCH_GUEST_REGISTERS_H
#define AMALGAM_ARCH_GUEST_REGISTERS_H

#include <core/cpu.h>

/* The registers of this core are as exits must load them from now on. */
static inline void host_registers_keep(const struct arch_cpu *a)
{
    if (a->host_vmcb)
        __asm__ volatile("vmsave %0" ::"a"(a->host_vmcb) : "memory");
}

/* Return whether a program must not get the registers of this core: a guest's TSC_AUX is there. */
static inline bool guest_registers_left(const struct arch_cpu *a) { return a->amdv.tsc_aux; }

static __cold __noinline void hide_tsc_aux(struct amdv_core *a)
{
    wrmsr(MSR_TSC_AUX, a->tsc_aux = 0);
    a->last = NULL; /* that vCPU loads its value again */
}

/* Take off the core what a guest has left; the kernel's STAR and the three MSRs behind it are `syscalls`. */
static inline void guest_registers_remove(struct arch_cpu *a, const u64 *syscalls) { hide_tsc_aux(&a->amdv); }

#endif
