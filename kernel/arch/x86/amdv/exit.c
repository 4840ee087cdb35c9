/* SPDX-License-Identifier: MIT */
/*
 * exit.c - converts an exit to a vcpu_exit (APM vol. 2, appendix C), and handles those that need no other component.
 * The exits that are counted come first: hypercall, interrupt, port, device memory. The others are in one table.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <arch/xcr0.h>

#include "debug.h"
#include "event.h"
#include "exit.h"

#define DR6_BREAKPOINTS 0xful

static __cold void step_over(struct hal_vcpu *v, unsigned length)
{
    amdv_measure(v, length);
    vcpu_skip(v, length);
}

static void general_protection(struct hal_vcpu *v) { vcpu_inject_exception(v, VEC_GP, true, 0); }

static __cold void do_xsetbv(struct hal_vcpu *v)
{
    u64 value = (u32)v->vmcb->rax | v->regs[RDX] << 32;
    if (v->vmcb->cpl || (u32)v->regs[RCX] || !xcr0_valid(value, vcpu_xcr0_supported())) {
        general_protection(v);
        return;
    }
    xsetbv(0, value);
    step_over(v, 3);
}

static void decode_io(const struct vmcb *b, struct vcpu_exit *e)
{
    u64 info = b->exit_info1;
    if (info & IOIO_STRING) { /* a string instruction needs guest memory, so the machine model handles it */
        e->reason = VCPU_EXIT_OTHER;
        e->addr = VMEXIT_IOIO;
        return;
    }
    e->reason = VCPU_EXIT_PIO;
    e->addr = ioio_port(info);
    e->size = ioio_size(info);
    e->write = !(info & IOIO_IN);
    e->value = b->rax & (~0ul >> (64 - e->size * 8));
}

static void decode_msr(struct hal_vcpu *v, struct vcpu_exit *e)
{
    e->reason = VCPU_EXIT_MSR;
    amdv_measure(v, 2);
}

void amdv_decode_fault(struct vcpu_exit *e, const char *why)
{
    e->reason = VCPU_EXIT_FAULT;
    e->why = why;
}

static __cold void decode_exception(struct hal_vcpu *v, struct vcpu_exit *e, unsigned vector)
{
    if (vector == VEC_MC) {
        amdv_decode_fault(e, "machine check while the guest ran");
        return;
    }
    if (vector == VEC_DB && v->stepping) {
        if (amdv_iret_done(v) && !(v->vmcb->dr6 & DR6_BREAKPOINTS))
            return;
    }
    vcpu_inject_exception(v, vector, vector == 17, 0);
}

/* How exits of instructions with an intercept bit of their own are handled: REASON | a reason, or an action here. */
enum { UNASKED, SKIP_2, XSETBV, IRET, GP, UD, REASON = 16 };
#define FIRST_EXIT VMEXIT_INTR
static const u8 handling[] = {
    [VMEXIT_NMI - FIRST_EXIT] = REASON | VCPU_EXIT_IRQ,
    [VMEXIT_SMI - FIRST_EXIT] = REASON | VCPU_EXIT_IRQ,
    [VMEXIT_FERR_FREEZE - FIRST_EXIT] = REASON | VCPU_EXIT_IRQ,
    [VMEXIT_PAUSE - FIRST_EXIT] = REASON | VCPU_EXIT_OTHER,
    [VMEXIT_CPUID - FIRST_EXIT] = REASON | VCPU_EXIT_CPUID,
    [VMEXIT_HLT - FIRST_EXIT] = REASON | VCPU_EXIT_IDLE,
    [VMEXIT_VINTR - FIRST_EXIT] = REASON | VCPU_EXIT_WINDOW,
    [VMEXIT_SHUTDOWN - FIRST_EXIT] = REASON | VCPU_EXIT_TRIPLE,
    [VMEXIT_INVD - FIRST_EXIT] =
        SKIP_2, /* ignored, as WBINVD: caches are coherent and shared, so a guest must not empty them */
    [VMEXIT_WBINVD - FIRST_EXIT] = SKIP_2,
    [VMEXIT_XSETBV - FIRST_EXIT] = XSETBV,
    [VMEXIT_IRET - FIRST_EXIT] = IRET,
    [VMEXIT_RDPMC - FIRST_EXIT] = GP,
    [VMEXIT_RSM - FIRST_EXIT] = UD,
    [VMEXIT_INVLPGA - FIRST_EXIT] = UD,
    [VMEXIT_VMRUN - FIRST_EXIT] = UD,
    [VMEXIT_VMLOAD - FIRST_EXIT... VMEXIT_SKINIT - FIRST_EXIT] = UD,
    [VMEXIT_MONITOR - FIRST_EXIT... VMEXIT_MWAIT_ARMED - FIRST_EXIT] = UD,
    [VMEXIT_RDPRU - FIRST_EXIT] = UD,
};

static __cold void decode_other(struct hal_vcpu *v, struct vcpu_exit *e, u64 code)
{
    if (code == VMEXIT_CR8_WRITE)
        e->reason = VCPU_EXIT_OTHER;
    else if (code - VMEXIT_EXCEPTION < 32)
        decode_exception(v, e, code - VMEXIT_EXCEPTION);
    else if (code - VMEXIT_DR < 32)
        amdv_take_debug(v);
    else if ((u32)code == VMEXIT_INVALID_32)
        amdv_decode_fault(e, "VMRUN refused the guest's state");
    else
        amdv_decode_fault(e, "exit that this kernel did not ask for");
}

/* The default reason is VCPU_EXIT_IRQ: an exit that was handled here needs nothing else, only another turn. */
void amdv_decode(struct hal_vcpu *v, struct vmcb *b, struct vcpu_exit *e)
{
    u64 code = b->exit_code;
    if (code == VMEXIT_VMMCALL) {
        e->reason = VCPU_EXIT_HYPERCALL;
        amdv_measure(v, 3);
        return;
    }
    e->reason = VCPU_EXIT_IRQ;
    if (code == VMEXIT_INTR)
        return;
    if (code == VMEXIT_IOIO)
        return decode_io(b, e);
    if (code == VMEXIT_MSR)
        return decode_msr(v, e);
    e->addr = code;
    e->length = 0;
    if (code == VMEXIT_NPF) {
        e->reason = VCPU_EXIT_MMIO;
        e->addr = b->exit_info2;
        e->write = b->exit_info1 & NPF_WRITE;
        return;
    }
    unsigned how = code - FIRST_EXIT < sizeof(handling) ? handling[code - FIRST_EXIT] : UNASKED;
    switch (how) {
    case SKIP_2: step_over(v, 2); return;
    case XSETBV: do_xsetbv(v); return;
    case IRET: amdv_iret_begins(v); return;
    case GP: general_protection(v); return;
    case UD: vcpu_inject_exception(v, VEC_UD, false, 0); return;
    case UNASKED: decode_other(v, e, code); return;
    case REASON | VCPU_EXIT_CPUID: e->length = 2; break;
    case REASON | VCPU_EXIT_IDLE: e->length = 1; break;
    }
    e->reason = how - REASON;
    if (e->length)
        amdv_measure(v, e->length);
}
