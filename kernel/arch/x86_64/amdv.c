/* SPDX-License-Identifier: MIT */
/*
 * amdv.c - running a guest with AMD-V (APM vol. 2 chapter 15): how address-space
 * identifiers are given, how an exit becomes a vcpu_exit.  amdv_setup.c makes what runs
 * here, amdv_event.c holds the events that wait for the next entry.
 *
 * ASIDs are a core's own: handed out in order, all flushed when they run out; a flush
 * of one guest is a fresh ASID, which every part can do.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <core/frames.h>

#include "amdv_debug.h"
#include "amdv_event.h"

#define MSR_TSC_AUX     0xc0000103u
#define DR6_BREAKPOINTS 0xful
#define ASID_NONE       ~0u

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

static inline void measure(struct hal_vcpu *v, unsigned length)
{
    if (unlikely(v->vmcb->next_rip == RIP_UNKNOWN))
        v->measure(v, length);
}

/* In a function of its own, so that the others need no frame. */
static __attribute__((noinline)) bool any_cpuid(struct hal_vcpu *v)
{
    measure(v, 2);
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

static __cold void step_over(struct hal_vcpu *v, unsigned length)
{
    measure(v, length);
    vcpu_skip(v->vmcb, length);
}

static void general_protection(struct hal_vcpu *v) { vcpu_inject_exception(v, VEC_GP, true, 0); }

/* Features that come together (11.5.2); the processor would answer the kernel's own XSETBV with #GP. */
static __cold bool xcr0_valid(u64 value)
{
    bool avx = value & 4, sse = value & 2;
    u64 avx512 = value & 0xe0, mpx = value & 0x18, tiles = value & 0x60000;
    return value & 1 && !(value & ~vcpu_xcr0_supported()) && (!avx || sse) && (!avx512 || (avx512 == 0xe0 && avx)) &&
           (!mpx || mpx == 0x18) && (!tiles || tiles == 0x60000);
}

static __cold void do_xsetbv(struct hal_vcpu *v)
{
    u64 value = (u32)v->vmcb->rax | v->regs[RDX] << 32;
    if (v->vmcb->cpl || (u32)v->regs[RCX] || !xcr0_valid(value)) {
        general_protection(v);
        return;
    }
    xsetbv(0, value);
    step_over(v, 3);
}

static void decode_io(const struct vmcb *b, struct vcpu_exit *e)
{
    u64 info = b->exit_info1;
    if (info & 4) { /* string: needs guest memory, so the machine model's */
        e->reason = VCPU_EXIT_OTHER;
        e->addr = VMEXIT_IOIO;
        return;
    }
    e->reason = VCPU_EXIT_PIO;
    e->addr = info >> 16 & 0xffff;
    e->size = info >> 4 & 7;
    e->write = !(info & 1);
    e->value = b->rax & (~0ul >> (64 - e->size * 8));
}

static void decode_msr(const struct hal_vcpu *v, const struct vmcb *b, struct vcpu_exit *e)
{
    e->reason = VCPU_EXIT_MSR;
    e->addr = (u32)v->regs[RCX];
    e->write = b->exit_info1 & 1;
    e->value = (u32)b->rax | v->regs[RDX] << 32;
    e->length = 2;
}

static void decode_fault(struct vcpu_exit *e, const char *why)
{
    e->reason = VCPU_EXIT_FAULT;
    e->why = why;
}

static __cold void decode_exception(struct hal_vcpu *v, struct vcpu_exit *e, unsigned vector)
{
    if (vector == VEC_MC) {
        decode_fault(e, "machine check while the guest ran");
        return;
    }
    if (vector == 1 && v->stepping) {
        amdv_iret_done(v);
        if (!(v->vmcb->dr6 & DR6_BREAKPOINTS))
            return;
    }
    vcpu_inject_exception(v, vector, vector == 17, 0);
}

/* The default reason is VCPU_EXIT_IRQ: what was settled here needs nobody else, only another look. */
static void decode(struct hal_vcpu *v, struct vmcb *b, struct vcpu_exit *e)
{
    u64 code = b->exit_code;
    if (code == VMEXIT_VMMCALL) {
        e->reason = VCPU_EXIT_HYPERCALL;
        measure(v, 3);
        return;
    }
    e->reason = VCPU_EXIT_IRQ;
    if (code == VMEXIT_INTR)
        return;
    if (code == VMEXIT_IOIO)
        return decode_io(b, e);
    e->addr = code;
    e->length = 0;
    switch (code) {
    case VMEXIT_MSR: decode_msr(v, b, e); break;
    case VMEXIT_NMI:
    case VMEXIT_SMI:
    case 0x7e: /* FERR_FREEZE */ break;
    case VMEXIT_CR8_WRITE:
    case VMEXIT_PAUSE: e->reason = VCPU_EXIT_OTHER; break;
    case VMEXIT_CPUID:
        e->reason = VCPU_EXIT_CPUID;
        e->length = 2;
        break;
    case VMEXIT_HLT:
        e->reason = VCPU_EXIT_IDLE;
        e->length = 1;
        break;
    case VMEXIT_NPF:
        e->reason = VCPU_EXIT_MMIO;
        e->addr = b->exit_info2;
        e->write = b->exit_info1 & 2;
        break;
    case VMEXIT_VINTR: e->reason = VCPU_EXIT_WINDOW; break;
    case VMEXIT_SHUTDOWN: e->reason = VCPU_EXIT_TRIPLE; break;
    case VMEXIT_INVD: /* as WBINVD: caches are coherent and shared, a guest has no business emptying them */
    case VMEXIT_WBINVD: step_over(v, 2); break;
    case VMEXIT_XSETBV: do_xsetbv(v); break;
    case VMEXIT_IRET: amdv_iret_begins(v); break;
    case VMEXIT_RDPMC: general_protection(v); break;
    case 0x73:
    case 0x7a: /* RSM, INVLPGA */
    case 0x80:
    case 0x82 ... 0x86: /* AMD-V's own, SKINIT */
    case 0x8a ... 0x8c:
    case 0x8e: /* MONITOR, MWAIT, RDPRU */ vcpu_inject_exception(v, VEC_UD, false, 0); break;
    default:
        if (code - VMEXIT_EXCEPTION < 32)
            decode_exception(v, e, code - VMEXIT_EXCEPTION);
        else if (code - VMEXIT_DR < 32)
            amdv_take_debug(v);
        else if ((u32)code == VMEXIT_INVALID_32)
            decode_fault(e, "VMRUN refused the guest's state");
        else
            decode_fault(e, "exit that this kernel did not ask for");
    }
    if (e->length)
        measure(v, e->length);
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
        return decode_fault(e, broken);
    if (unlikely(b->shadow & 1))
        amdv_enter_shadowed(v, c->arch.host_vmcb);
    else
        amdv_enter(v, c->arch.host_vmcb);
    b->tlb_control = 0;
    if (unlikely(b->exit_int_info & EVENT_VALID))
        amdv_reinject(v);
    decode(v, b, e);
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
    if (e->reason == VCPU_EXIT_MSR) {
        b->rax = (u32)value;
        v->regs[RDX] = value >> 32;
    } else if (e->size == 4) {
        b->rax = (u32)value;
    } else {
        u64 mask = e->size == 2 ? 0xffff : 0xff;
        b->rax = (b->rax & ~mask) | (value & mask);
    }
    vcpu_complete(v, e);
}
