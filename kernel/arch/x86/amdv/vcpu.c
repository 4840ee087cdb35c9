/* SPDX-License-Identifier: MIT */
/*
 * vcpu.c - runs a guest with AMD-V (APM vol. 2 chapter 15) and assigns address-space identifiers. amdv/setup.c creates
 * the vCPU, amdv/fast.c sees each exit first, amdv/exit.c decodes it, amdv/event.c holds the event for the next entry.
 *
 * Each core has its own ASIDs. They are assigned in order, and all are flushed when they run out. To flush one guest it
 * gets a new ASID, which every processor supports.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <core/frames.h>

#include "debug.h"
#include "event.h"
#include "exit.h"

void hal_vcpu_destroy(struct hal_vcpu *v)
{
    amdv_forget_debug(v);
    for (unsigned i = 0; i < MAX_CPUS; i++) {
        struct cpu *c = READ_ONCE(cpus[i]); /* it may leave meanwhile: its record stays */
        if (c && c->arch.amdv.last == v)
            c->arch.amdv.last = NULL;
    }
    page_clean(v->vmcb);
    v->vmcb = NULL;
}

static __cold void take_asid(struct hal_vcpu *v, struct amdv_core *core)
{
    if (!core->generation || core->next >= amdv_asids) {
        core->generation++;
        core->next = 1;
        v->vmcb->tlb_control = TLB_FLUSH_ALL;
    }
    v->vmcb->asid = core->next++;
    v->asid_generation = core->generation;
    v->core = this_cpu()->id; /* constant, as the thread's core */
    vcpu_dirty(v, CLEAN_ASID);
    if (v->vmcb->intercept_dr && v->vmcb->dr7 & 0xff)
        amdv_take_debug(v);
}

/* Make `v` the core's current vCPU: another one ran on this core, or `v` has never run. */
static inline void become_current(struct hal_vcpu *v, struct cpu *c)
{
    struct amdv_core *core = &c->arch.amdv;
    if (unlikely(v->asid_generation != core->generation))
        take_asid(v, core);
    if (unlikely(core->tsc_aux != v->tsc_aux))
        wrmsr(MSR_TSC_AUX, core->tsc_aux = v->tsc_aux);
    core->last = v;
}

void vcpu_run(struct hal_vcpu *v, struct vcpu_exit *e)
{
    struct cpu *c = this_cpu_here();
    struct vmcb *b = v->vmcb;
    if (c->arch.amdv.last != v)
        become_current(v, c);
    b->event_inject = v->inject;
    v->inject = 0;
    b->next_rip = 0;
    const char *broken = amdv_checked ? amdv_check_entry(v) : NULL;
    if (unlikely(broken != NULL))
        return amdv_decode_fault(e, broken);
    if (unlikely(b->shadow & 1))
        amdv_enter_shadowed(v, c->arch.host_vmcb);
    else
        amdv_enter(v, c->arch.host_vmcb);
    b->tlb_control = 0;
    if (unlikely(b->exit_int_info & EVENT_VALID))
        amdv_reinject(v);
    amdv_decode(v, b, e);
    v->exits[e->reason]++;
}

void vcpu_complete(struct hal_vcpu *v, const struct vcpu_exit *e)
{
    if (e->reason == VCPU_EXIT_PIO)
        vcpu_retire(v, v->vmcb->exit_info2); /* the one exit that always brings the next RIP (15.10.2) */
    else
        vcpu_skip(v, e->length);
}

void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value)
{
    v->vmcb->rax = rax_with(v->vmcb->rax, value, e->size);
    vcpu_complete(v, e);
}
