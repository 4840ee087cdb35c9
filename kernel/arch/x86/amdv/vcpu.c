/* SPDX-License-Identifier: MIT */
/*
 * vcpu.c - running a guest with AMD-V (APM vol. 2 chapter 15): how address-space
 * identifiers are given, what is settled before anybody else sees it.  amdv/setup.c makes
 * what runs here, amdv/exit.c says why it left, amdv/event.c holds the events that wait for
 * the next entry.
 *
 * ASIDs are a core's own: handed out in order, all flushed when they run out; a flush
 * of one guest is a fresh ASID, which every part can do.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <core/frames.h>

#include "debug.h"
#include "event.h"
#include "exit.h"

#define MSR_TSC_AUX 0xc0000103u
#define ASID_NONE   ~0u

/* Make the next run look again. */
static void forget(struct hal_vcpu *v)
{
    struct amdv_core *core = &cpus[v->core]->arch.amdv;
    if (core->last == v)
        core->last = NULL;
}

void hal_vcpu_destroy(struct hal_vcpu *v)
{
    amdv_forget_debug(v);
    for (unsigned i = 0; i < MAX_CPUS; i++)
        if (cpus[i] && cpus[i]->arch.amdv.last == v)
            cpus[i]->arch.amdv.last = NULL;
    page_clean(v->vmcb);
    v->vmcb = NULL;
}

void vcpu_flush(struct hal_vcpu *v)
{
    v->asid_generation = ASID_NONE;
    forget(v);
}

void vcpu_set_tsc_aux(struct hal_vcpu *v, u32 value)
{
    v->tsc_aux = value;
    forget(v);
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
    v->core = this_cpu()->id; /* for good, as its thread's */
    vcpu_dirty(v, CLEAN_ASID);
    if (v->vmcb->intercept_dr && v->vmcb->dr7 & 0xff)
        amdv_take_debug(v);
}

/* Another vCPU ran on this core, or this one has never. */
static inline void become_current(struct hal_vcpu *v, struct cpu *c)
{
    struct amdv_core *core = &c->arch.amdv;
    if (unlikely(v->asid_generation != core->generation))
        take_asid(v, core);
    if (unlikely(core->tsc_aux != v->tsc_aux))
        wrmsr(MSR_TSC_AUX, core->tsc_aux = v->tsc_aux);
    core->last = v;
}

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

__noinline void vcpu_skip(struct vmcb *b, unsigned length) { vcpu_skip_here(b, length); }

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
    struct vmcb *b = v->vmcb;
    if (e->reason == VCPU_EXIT_PIO) {
        b->rip = b->exit_info2; /* the one exit that always knows (15.10.2) */
        b->shadow = 0;
    } else {
        vcpu_skip(b, e->length);
    }
}

void vcpu_complete_read(struct hal_vcpu *v, const struct vcpu_exit *e, u64 value)
{
    struct vmcb *b = v->vmcb;
    if (e->size == 4) {
        b->rax = (u32)value;
    } else {
        u64 mask = e->size == 2 ? 0xffff : 0xff;
        b->rax = (b->rax & ~mask) | (value & mask);
    }
    vcpu_complete(v, e);
}
