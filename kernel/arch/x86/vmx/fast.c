/* SPDX-License-Identifier: MIT */
/* fast.c - resolves exits directly after they happen, with the guest's callee-saved registers in place. */
#include "access.h"
#include "core.h"

#define RIGHTS_DPL 0x60u /* of SS: the CPL */

/* A bit for each. Of the reasons that exist bus locks (74) are one of them modulo 64; the machine model resolves none
 * that it does not know. */
#define FAST_REASONS (1ul << VMX_EXIT_CPUID | 1ul << VMX_EXIT_RDMSR | 1ul << VMX_EXIT_WRMSR)

/* What the exit was for is done: the slow path takes it for one by an interrupt. */
static bool leave(struct hal_vcpu *v)
{
    v->reason = VMX_EXIT_INTERRUPT;
    return false;
}

/* The machine model has left something to write: an interrupt that it offers is armed here, all else at the next entry,
 * which also names a rule that it breaks. */
bool vmx_fast_dirty(struct hal_vcpu *v)
{
    u32 dirty = v->dirty &= ~DIRTY_CHECKED;
    if (dirty & ~DIRTY_OFFER)
        return leave(v);
    v->dirty = 0;
    if (dirty)
        vmx_arm_fast(v);
    return !vmx_checked || !vmx_check_entry(v) || leave(v);
}

/* Say where the guest goes on. An instruction that something follows takes the slow path: a trap, the end of an
 * interrupt shadow, a RIP that may wrap. */
static inline bool step(struct hal_vcpu *v)
{
    u64 rip = vmread(VMCS_GUEST_RIP), next = rip + vmread(VMCS_EXIT_LENGTH);
    v->next_rip = next;
    if (unlikely((u16)next < (u16)rip))
        return false;
    if (unlikely((vmread(VMCS_GUEST_RFLAGS) & TRACED) | (vmread(VMCS_GUEST_INTERRUPTIBILITY) & SHADOW_INSN)))
        return false;
    if (vmx_checked)
        v->dirty |= DIRTY_CHECKED;
    return true;
}

/* A call from user mode takes the slow path, as all but one do: for them nothing is read twice. */
static inline bool fast_call(struct hal_vcpu *v, u64 reason)
{
    return v->cpu.rax == v->fast_call && step(v) && !(vmread(VMCS_GUEST_SS_RIGHTS) & RIGHTS_DPL) && v->fast(v, reason);
}

/* The processor lets no access to an MSR come from user mode. What EFER changes depends on more. */
bool vmx_fast(struct hal_vcpu *v)
{
    u64 reason = vmread(VMCS_EXIT_REASON);
    v->reason = (u32)reason;
    if (reason == VMX_EXIT_VMCALL)
        return fast_call(v, reason);
    if (!(FAST_REASONS >> (reason & 63) & 1) || !step(v))
        return false;
    if (reason == VMX_EXIT_CPUID) {
        if (unlikely((u32)v->cpu.rax == 1)) /* the leaf that says OSXSAVE */
            vmx_load_cr4(v);
    } else if ((u32)v->regs[RCX] == MSR_EFER) {
        return false;
    }
    return v->fast(v, reason);
}
