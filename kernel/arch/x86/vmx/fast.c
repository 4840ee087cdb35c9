/* SPDX-License-Identifier: MIT */
/* fast.c - resolves exits directly after they happen, with the guest's callee-saved registers in place. */
#include "access.h"
#include "core.h"

#define RIGHTS_DPL 0x60u /* of SS: the CPL */

/* A bit for each: no reason that exists is one of them modulo 64. */
#define FAST_REASONS (1ul << VMX_EXIT_CPUID | 1ul << VMX_EXIT_VMCALL | 1ul << VMX_EXIT_RDMSR | 1ul << VMX_EXIT_WRMSR)

/* What the machine model needs of the VMCS. Returns false if the slow path must go on: a call from user mode (the
 * processor lets no access to an MSR come from there), and EFER, whose effects depend on more. */
static inline bool fetch(struct hal_vcpu *v, u64 reason)
{
    if (reason == VMX_EXIT_VMCALL)
        return !(vmread(VMCS_GUEST_SS_RIGHTS) & RIGHTS_DPL);
    if (reason == VMX_EXIT_CPUID) {
        if (unlikely((u32)v->cpu.rax == 1)) /* the leaf that says OSXSAVE */
            vmx_load_cr4(v);
        return true;
    }
    return (u32)v->regs[RCX] != MSR_EFER;
}

/* The machine model has left something to write: an interrupt that it offers is armed here, all else at the next
 * entry. */
static __noinline bool leave(struct hal_vcpu *v)
{
    if (v->dirty != DIRTY_OFFER) {
        v->resolved = true;
        return false;
    }
    v->dirty = 0;
    v->cpu.rflags = vmread(VMCS_GUEST_RFLAGS);
    v->shadow = 0;
    vmx_arm(v);
    return true;
}

/* A broken rule is named by the next entry, on the slow path. */
static bool passes(struct hal_vcpu *v)
{
    v->resolved = vmx_check_entry(v);
    return !v->resolved;
}

/* An instruction that something follows takes the slow path: a trap, the end of an interrupt shadow, a RIP that may
 * wrap. */
bool vmx_fast(struct hal_vcpu *v)
{
    u64 reason = vmread(VMCS_EXIT_REASON);
    v->reason = (u32)reason;
    if (!(FAST_REASONS >> (reason & 63) & 1))
        return false;
    u64 rip = vmread(VMCS_GUEST_RIP), next = rip + vmread(VMCS_EXIT_LENGTH);
    v->next_rip = next;
    if (unlikely(((rip ^ next) >> 16) | (vmread(VMCS_GUEST_RFLAGS) & TRACED) |
                 (vmread(VMCS_GUEST_INTERRUPTIBILITY) & SHADOW_INSN)))
        return false;
    if (!fetch(v, reason) || !v->fast(v, reason))
        return false;
    vmwrite(VMCS_GUEST_RIP, v->next_rip);
    if (unlikely(v->dirty) && !leave(v))
        return false;
    return !vmx_checked || passes(v);
}
