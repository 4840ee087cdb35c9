/* SPDX-License-Identifier: MIT */
/* state.c - features of the processors, and changes of a vCPU between two runs. */
#include <arch/vcpu.h>
#include <core/cpu.h>

#define ASID_NONE ~0ull /* a generation that never comes */

u32 amdv_features = ~0u;
u32 amdv_asids = ~0u;
u32 amdv_clean_all = CLEAN_ALL;

/* Make the next run call become_current(). */
static void clear_last(struct hal_vcpu *v)
{
    struct amdv_core *core = &cpus[v->core]->arch.amdv;
    if (core->last == v)
        core->last = NULL;
}

void vcpu_flush(struct hal_vcpu *v)
{
    v->asid_generation = ASID_NONE;
    clear_last(v);
}

void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value)
{
    v->tsc_aux = value;
    clear_last(v);
}
