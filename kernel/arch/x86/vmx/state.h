/* SPDX-License-Identifier: MIT */
/* state.h - fills the current VMCS; each function returns 0, or -EIO: the processor has not all of its fields. */
#ifndef AMALGAM_ARCH_X86_VMX_STATE_H
#define AMALGAM_ARCH_X86_VMX_STATE_H

#include <arch/vmx.h>

/* Every field of arch/vmcs.h. */
extern const u16 vmcs_fields[];
extern const unsigned vmcs_n_fields;

/* Write 0 to each field that can be written: after VMCLEAR they have no values. */
int vmcs_zero(void);
/* Port accesses, MSR accesses, HLT, interrupts and NMIs exit; guest-physical memory is what the EPT at `ept_root`
 * shows. */
int vmcs_set_controls(const struct vmx_capability *c, paddr_t ept_root);
/* The calling core as it is now, but for what user.c or nouser.c says. */
int vmcs_set_host(void);
/* CR3 and EFER after an exit. */
u64 vmx_host_root(void);
u64 vmx_host_efer(void);
/* Real mode at address `rip` below 64 KiB, else as after RESET. */
int vmcs_set_guest(u64 rip);

/* entry.S. Enter the current VMCS' guest with the registers `regs`, in the order of their encoding, by VMLAUNCH, or
 * VMRESUME if it was `launched`. Returns 0 after an exit, 1 if it was not entered. Interrupts must be off. */
int vmx_switch(u64 *regs, bool launched);
void vmx_exited(void);

/* Run a guest of some instructions on a VMCS that is current and cleared. Returns 0, or what went wrong, with the
 * exit's reason in *reason. */
const char *vmx_trial(const struct vmx_capability *c, u64 *reason);

#endif
