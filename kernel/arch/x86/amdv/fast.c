/* SPDX-License-Identifier: MIT */
/* fast.c - resolves exits directly after #VMEXIT, before the host's state is loaded. */
#include <arch/vcpu.h>

#include "exit.h"

/* Out of line, so that the other exits need no stack frame. */
static __attribute__((noinline)) bool any_cpuid(struct hal_vcpu *v)
{
    amdv_measure(v, 2);
    if (!v->fast(v, VMEXIT_CPUID))
        return false;
    v->vmcb->next_rip = 0; /* it was this instruction's; without NRIPS the hardware does not overwrite it */
    return true;
}

/*
 * Resolve an exit on the fast path. After #VMEXIT the processor's cache equals the VMCB, so all clean bits are set;
 * later changes clear theirs. An instruction of user mode, or one that may have prefixes, takes the slow path, except
 * CPUID: any mode may execute it, and a starting program does so some 36 times (C library). None of these instructions
 * exits while an event is delivered. What follows an instruction amdv/entry.S sees to.
 */
bool amdv_fast(struct hal_vcpu *v)
{
    struct vmcb *b = v->vmcb;
    const struct vcpu_plain *p = plain_at(v, b->rip);
    bool plain = p->rip == b->rip && *p->at == 0x0f;
    b->clean = amdv_clean_all;
    if (likely(plain || b->next_rip) && likely(!b->cpl))
        return v->fast(v, b->exit_code);
    if (!b->next_rip)
        b->next_rip = RIP_UNKNOWN;
    return b->exit_code == VMEXIT_CPUID && any_cpuid(v);
}
