/* SPDX-License-Identifier: MIT */
/* cpuid.c - what CPUID says to a guest in ring 1. */
#include "para.h"

#include <arch/cpu.h>

#define FEATURES_NOT 0x42e6u /* of leaf 1, EDX: VME, DE, MSR, PAE, MCE, APIC, MCA are not the guest's */
#define FEATURE_PGE  0x2000u

/* INT of PARA_CPUID. */
void para_cpuid(struct hal_vcpu *v)
{
    struct para_regs *r = v->regs;
    struct cpuid_regs c = cpuid(r->eax, r->ecx);
    if (r->eax == 1)
        c.edx = (c.edx & ~FEATURES_NOT) | FEATURE_PGE;
    r->eax = c.eax;
    r->ebx = c.ebx;
    r->ecx = c.ecx;
    r->edx = c.edx;
}
