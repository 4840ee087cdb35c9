/* SPDX-License-Identifier: MIT */
/* state.c - features of the processors, and changes of a vCPU between two runs. */
#include <arch/cpu.h>
#include <arch/features.h>
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

/* The MSR comes with RDTSCP or RDPID. All processors that have nested paging have it, but a hypervisor below may hide
 * both; nobody could read the value there, and it is dropped. Out of line: else the way of each written MSR saves a
 * register for CPUID. */
__cold __noinline void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value)
{
    bool rdpid = cpuid(0, 0).eax >= 7 && cpuid(7, 0).ecx & X86_FEATURE_RDPID;
    if (!rdpid && !(cpuid(0x80000001, 0).edx & X86_FEATURE_RDTSCP))
        return;
    v->tsc_aux = value;
    clear_last(v);
}
