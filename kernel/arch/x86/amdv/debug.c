/* SPDX-License-Identifier: MIT */
/*
 * debug.c - keeps DR0-3 of guests apart, which VMRUN does not switch (APM vol. 2, 15.5.1).
 *
 * A vCPU's values stay in the registers until another vCPU of this core accesses a debug register. If a vCPU with
 * active breakpoints has lost them, it gets them back at its next entry, for which vcpu_flush() sends it along the slow
 * path.
 */
#include <arch/vcpu.h>
#include <core/cpu.h>

#include "debug.h"

static struct hal_vcpu *debug_owner[MAX_CPUS];

__cold void amdv_take_debug(struct hal_vcpu *v)
{
    struct hal_vcpu **at = &debug_owner[this_cpu()->id], *old = *at;
    if (old && !old->vmcb->intercept_dr) {
        __asm__ volatile("mov %%dr0, %0; mov %%dr1, %1; mov %%dr2, %2; mov %%dr3, %3"
                         : "=r"(old->dr[0]), "=r"(old->dr[1]), "=r"(old->dr[2]), "=r"(old->dr[3]));
        old->vmcb->intercept_dr = ~0u;
        vcpu_dirty(old, CLEAN_INTERCEPTS);
        vcpu_flush(old);
    }
    __asm__ volatile("mov %0, %%dr0; mov %1, %%dr1; mov %2, %%dr2; mov %3, %%dr3" ::"r"(v->dr[0]), "r"(v->dr[1]),
                     "r"(v->dr[2]), "r"(v->dr[3]));
    v->vmcb->intercept_dr = 0;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
    *at = v;
}

void amdv_forget_debug(struct hal_vcpu *v)
{
    for (unsigned i = 0; i < MAX_CPUS; i++)
        if (debug_owner[i] == v)
            debug_owner[i] = NULL;
}
