/* SPDX-License-Identifier: MIT */
/*
 * debug.c - keeps DR0-3 of guests apart, which VMRUN does not switch (APM vol. 2, 15.5.1).
 *
 * A vCPU's values stay in the registers until another vCPU of this core accesses a debug register. If a vCPU with
 * active breakpoints has lost them, it gets them back at its next entry, for which vcpu_flush() sends it along the slow
 * path. Meanwhile another core may reset or destroy the vCPU that has lost them: so that is done under a lock.
 */
#include <arch/debug_registers.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <core/lock.h>
#include <string.h>

#include "debug.h"

static struct spinlock lock = SPINLOCK_INIT;
static struct hal_vcpu *debug_owner[MAX_CPUS];

__cold void amdv_take_debug(struct hal_vcpu *v)
{
    struct hal_vcpu **at = &debug_owner[this_cpu()->id];
    spin_lock(&lock);
    struct hal_vcpu *old = *at;
    if (old && !old->vmcb->intercept_dr) {
        read_dr0_3(old->dr);
        old->vmcb->intercept_dr = ~0u;
        vcpu_dirty(old, CLEAN_INTERCEPTS);
        vcpu_flush(old);
    }
    *at = v;
    spin_unlock(&lock);
    write_dr0_3(v->dr);
    v->vmcb->intercept_dr = 0;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
}

__cold void amdv_reset_debug(struct hal_vcpu *v)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    memset(v->dr, 0, sizeof(v->dr));
    v->vmcb->intercept_dr = ~0u;
    spin_unlock_irqrestore(&lock, flags);
}

void amdv_forget_debug(struct hal_vcpu *v)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    for (unsigned i = 0; i < MAX_CPUS; i++)
        if (debug_owner[i] == v)
            debug_owner[i] = NULL;
    spin_unlock_irqrestore(&lock, flags);
}
