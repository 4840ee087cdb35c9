/* SPDX-License-Identifier: MIT */
/* fast.c - exits that are resolved right behind #VMEXIT, before the host's state is loaded. */
#include <arch/vcpu.h>

#include "exit.h"

/* In a function of its own, so that the others need no frame. */
static __attribute__((noinline)) bool any_cpuid(struct hal_vcpu *v)
{
    amdv_measure(v, 2);
    if (!v->fast(v, VMEXIT_CPUID))
        return false;
    v->vmcb->next_rip = 0; /* was this instruction's; without NRIPS nobody writes the next one's */
    return true;
}

/*
 * After #VMEXIT the processor's cache equals the VMCB; every later change drops its clean bit. An instruction of user
 * mode, or one that is not known to be without prefixes, goes the slow way, but for CPUID: any mode may execute it, and
 * a program that begins does so some 36 times (C library). None exits while an event is delivered.
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
