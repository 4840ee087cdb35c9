/* SPDX-License-Identifier: MIT */
/*
 * event.c - the event that a guest gets at its next entry (Intel SDM vol. 3, 27.6), and the exits that say when it can
 * take another: interrupt window, NMI window, a TPR below its threshold.
 *
 * There is one event at a time: exceptions first come first served, interrupts and NMIs when the guest can take them.
 */
#include <arch/trap.h>
#include <errors.h>
#include "access.h"
#include "core.h"

/* Types of an event (25.8.3) beside those that AMD-V has in the same format. */
#define EVENT_TRAP_INT1 (5u << 8)
#define PENDING_BS      (1ul << 14)
#define CR0_PE          1u

void vcpu_inject_exception(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error)
{
    if (!(v->inject & EVENT_VALID))
        v->inject = vector | EVENT_EXCEPTION | EVENT_VALID | (has_error ? EVENT_ERROR | (u64)error << 32 : 0);
}

__noinline void vcpu_skip(struct hal_vcpu *v, unsigned length)
{
    vcpu_step(v, length);
    vcpu_trap(v);
}

bool vcpu_irq_window(const struct hal_vcpu *v)
{
    return !(v->inject & EVENT_VALID) && !(v->shadow & SHADOW_INSN) && v->cpu.rflags & RFLAGS_IF;
}

int vcpu_inject_irq(struct hal_vcpu *v, unsigned vector)
{
    if (!vcpu_irq_window(v))
        return -EBUSY;
    v->inject = vector | EVENT_INTR | EVENT_VALID;
    return 0;
}

void vcpu_request_window(struct hal_vcpu *v)
{
    vcpu_withdraw_irq(v);
    v->window = true;
}

void vcpu_cancel_window(struct hal_vcpu *v) { v->window = false; }

/* Whatever is in the way, the guest exits when it can take an NMI. */
int vcpu_inject_nmi(struct hal_vcpu *v)
{
    if (v->inject & EVENT_VALID || v->shadow & (SHADOW_NMI | SHADOW_INSN)) {
        v->nmi_window = true;
        return -EBUSY;
    }
    v->inject = VEC_NMI | EVENT_NMI | EVENT_VALID; /* its entry masks the next */
    return 0;
}

/* A software interrupt or exception is not injected again: its instruction is executed again. An NMI has set its own
 * mask already, which would forbid it. */
__cold void vmx_reinject(struct hal_vcpu *v, u64 event)
{
    u32 type = event & EVENT_TYPE;
    if (type >= EVENT_SOFT)
        return;
    if (type == EVENT_NMI)
        v->shadow &= ~SHADOW_NMI;
    v->inject = (u32)event & ~(1u << 12);
    if (event & EVENT_ERROR)
        v->inject |= vmread(VMCS_VECTORING_ERROR_CODE) << 32;
}

/* Inject the offered interrupt, or choose what the guest exits for when it can take it. Returns that control. */
static u32 arm_offer(struct hal_vcpu *v, u32 *threshold)
{
    u32 priority = v->offered >> 4;
    if (priority <= vcpu_tpr(v) >> 4)
        *threshold = priority;
    else if (vcpu_inject_irq(v, v->offered))
        return VMX_PROC_IRQ_WINDOW;
    else
        v->offered = 0;
    return 0;
}

/* In real mode no exception has an error code, and an entry with one fails (27.2.1.3). */
static void write_event(struct hal_vcpu *v)
{
    if (v->inject & EVENT_ERROR) {
        if (vmread(VMCS_GUEST_CR0) & CR0_PE)
            vmwrite(VMCS_ENTRY_ERROR_CODE, v->inject >> 32);
        else
            v->inject &= ~(u64)EVENT_ERROR;
    }
    if (unlikely((v->inject & EVENT_TYPE) == EVENT_TRAP_INT1))
        vmwrite(VMCS_ENTRY_LENGTH, v->length);
    vmwrite(VMCS_ENTRY_EVENT, (u32)v->inject);
    v->inject = 0;
}

static __noinline void arm_awaited(struct hal_vcpu *v)
{
    u32 threshold = 0, proc = v->proc & ~(VMX_PROC_IRQ_WINDOW | VMX_PROC_NMI_WINDOW);
    if (v->offered)
        proc |= arm_offer(v, &threshold);
    if (v->window)
        proc |= VMX_PROC_IRQ_WINDOW;
    if (v->nmi_window)
        proc |= VMX_PROC_NMI_WINDOW;
    v->armed = threshold || proc & (VMX_PROC_IRQ_WINDOW | VMX_PROC_NMI_WINDOW);
    if (proc != v->proc)
        vmwrite(VMCS_PROC_CONTROLS, v->proc = proc);
    if (threshold != v->threshold)
        vmwrite(VMCS_TPR_THRESHOLD, v->threshold = threshold);
}

void vmx_arm(struct hal_vcpu *v)
{
    if (v->awaited)
        arm_awaited(v);
    if (v->inject & EVENT_VALID)
        write_event(v);
    if (unlikely(v->shadow & SHADOW_INSN && v->cpu.rflags & RFLAGS_TF)) /* 27.3.1.5 demands it */
        vmwrite(VMCS_GUEST_PENDING_DEBUG, PENDING_BS);
}

/* An offered interrupt that nothing holds back is written at once, if no exit is armed that would have to be disarmed.
 */
void vmx_arm_fast(struct hal_vcpu *v)
{
    u64 flags = vmread(VMCS_GUEST_RFLAGS);
    u32 vector = v->awaited; /* if it is all that is awaited */
    if (likely(vector - 1 < 255 && flags & RFLAGS_IF && (vector & 0xf0) > vcpu_tpr(v))) {
        vmwrite(VMCS_ENTRY_EVENT, vector | EVENT_INTR | EVENT_VALID);
        v->awaited = 0;
        return;
    }
    v->cpu.rflags = flags;
    v->shadow = 0;
    vmx_arm_if_due(v);
}
