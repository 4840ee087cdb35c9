/* SPDX-License-Identifier: MIT */
/* fast.c - resolves exits directly after they happen, with the guest's callee-saved registers in place. */
#include "access.h"
#include "core.h"

#define RIGHTS_DPL 0x60u /* of SS: the CPL */

static inline bool is_fast(u32 reason)
{
    return reason == VMX_EXIT_VMCALL || reason == VMX_EXIT_CPUID || reason - VMX_EXIT_RDMSR < 2;
}

/* What the machine model needs of the VMCS. Returns false if the slow path must go on: EFER's effects depend on more.
 */
static inline bool fetch(struct hal_vcpu *v, u32 reason)
{
    if (reason == VMX_EXIT_CPUID) {
        if ((u32)v->cpu.rax == 1)
            v->cpu.cr4 = vmread(VMCS_GUEST_CR4);
        return true;
    }
    v->written = reason == VMX_EXIT_WRMSR;
    return !(vmread(VMCS_GUEST_SS_RIGHTS) & RIGHTS_DPL) && (reason == VMX_EXIT_VMCALL || (u32)v->regs[RCX] != MSR_EFER);
}

/*
 * An instruction of user mode takes the slow path, except CPUID, and so does one that something follows: a trap, the
 * end of an interrupt shadow, a RIP that may wrap. If the machine model has left something to write, vmx_store() does
 * it, at the next entry.
 */
bool vmx_fast(struct hal_vcpu *v)
{
    u32 reason = (u32)vmread(VMCS_EXIT_REASON);
    v->reason = reason;
    if (!is_fast(reason))
        return false;
    u64 rip = vmread(VMCS_GUEST_RIP), next = rip + vmread(VMCS_EXIT_LENGTH);
    v->next_rip = next;
    if (unlikely(((rip ^ next) >> 16) | (vmread(VMCS_GUEST_RFLAGS) & TRACED) |
                 (vmread(VMCS_GUEST_INTERRUPTIBILITY) & SHADOW_INSN)))
        return false;
    if (!fetch(v, reason) || !v->fast(v, reason == VMX_EXIT_WRMSR ? RAW_MSR : reason))
        return false;
    vmwrite(VMCS_GUEST_RIP, next);
    v->resolved = v->dirty;
    return likely(!v->resolved);
}
