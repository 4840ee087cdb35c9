/* SPDX-License-Identifier: MIT */
/*
 * event.c - the event that a guest gets at its next entry (APM vol. 2, 15.20). There is one at a time: exceptions first
 * come first served, interrupts and NMIs when the guest can take them; if it cannot, a window is requested.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include <errors.h>

#include "event.h"

__noinline void vcpu_inject_exception(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error)
{
    if (!(v->inject & EVENT_VALID))
        v->inject = event_exception(vector, has_error, error);
}

__cold __noinline void vcpu_traced(struct hal_vcpu *v)
{
    if (vmcb_trap(v->vmcb))
        vcpu_inject_exception(v, VEC_DB, false, 0);
}

/* The next VMRUN follows at once, so the trap is in the VMCB. */
__cold void amdv_traced(struct hal_vcpu *v)
{
    vcpu_traced(v);
    v->vmcb->event_inject = v->inject;
    v->inject = 0;
}

__noinline void vmcb_advance_called(struct vmcb *b, unsigned length) { vmcb_advance(b, length); }

__noinline void vcpu_skip(struct hal_vcpu *v, unsigned length)
{
    vcpu_advance(v, length);
    vcpu_trap(v);
}

bool vcpu_irq_window(const struct hal_vcpu *v)
{
    return !(v->inject & EVENT_VALID) && !(v->vmcb->shadow & 1) && (v->vmcb->rflags & RFLAGS_IF);
}

int vcpu_inject_irq(struct hal_vcpu *v, unsigned vector)
{
    if (!vcpu_irq_window(v))
        return -EBUSY;
    v->inject = vector | EVENT_INTR | EVENT_VALID;
    return 0;
}

/* Request a window: a virtual interrupt of the highest priority, intercepted when it would be taken (APM 15.21.4). */
void vcpu_request_window(struct hal_vcpu *v)
{
    vcpu_offer_irq(v, 0xff);
    v->vmcb->intercept1 |= INT1_VINTR;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
}

void vcpu_cancel_window(struct hal_vcpu *v)
{
    vcpu_withdraw_irq(v);
    v->vmcb->intercept1 &= ~INT1_VINTR;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
}

/* IRET is intercepted, because without virtual NMIs this is the only way to see the end of an NMI handler. */
int vcpu_inject_nmi(struct hal_vcpu *v)
{
    if (v->nmi_masked)
        return -EBUSY;
    if ((v->inject & EVENT_VALID) || v->vmcb->shadow)
        return -EAGAIN;
    v->inject = VEC_NMI | EVENT_NMI | EVENT_VALID;
    v->nmi_masked = true;
    v->vmcb->intercept1 |= INT1_IRET;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
    return 0;
}

/* Inject again an event whose delivery was interrupted by the exit. A software interrupt is not: its instruction is
 * executed again. */
__cold void amdv_reinject(struct hal_vcpu *v)
{
    u64 info = v->vmcb->exit_int_info;
    unsigned vector = info & 0xff;
    v->vmcb->exit_int_info = 0;
    if ((info & EVENT_TYPE) == EVENT_SOFT)
        return;
    if ((info & EVENT_TYPE) == EVENT_EXCEPTION && (vector == 3 || vector == 4))
        return;
    v->inject = info;
}

/*
 * Single-step over the IRET, because an NMI before it would overwrite the stack frame (IST) that it uses. IRET loads TF
 * itself, so the guest never sees ours.
 */
__cold void amdv_iret_begins(struct hal_vcpu *v)
{
    v->stepping = true;
    v->own_step = v->vmcb->rflags & RFLAGS_TF;
    v->vmcb->rflags |= RFLAGS_TF;
    v->vmcb->intercept1 &= ~INT1_IRET;
    vcpu_dirty(v, CLEAN_INTERCEPTS);
}

__cold bool amdv_iret_done(struct hal_vcpu *v)
{
    v->stepping = v->nmi_masked = false;
    if (v->own_step)
        return false;
    v->vmcb->dr6 &= ~DR6_BS;
    vcpu_dirty(v, CLEAN_DR);
    return true;
}
