/* SPDX-License-Identifier: MIT */
/* Interrupts, exceptions and NMIs of a guest by VT-x: when an entry injects them, and what waits for a window. */
#include "vmx_guest.h"

static void protects(void) { *field(VMCS_GUEST_CR0) |= 1; }

static void an_exception_of_real_mode_has_no_error_code(void **state)
{
    exit_by(VMX_EXIT_RDPMC);
    run(protects);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_VALID);
    *field(VMCS_ENTRY_ERROR_CODE) = 1;
    exit_by(VMX_EXIT_RDPMC);
    run(NULL);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID);
    assert_int_equal(*field(VMCS_ENTRY_ERROR_CODE), 0);
}

static void an_event_that_an_entry_has_refused_is_not_for_the_next_run(void **state)
{
    vcpu_inject_exception(&guest[0], VEC_UD, false, 0);
    fails = true;
    run(NULL);
    assert_int_equal(e.reason, VCPU_EXIT_FAULT);
    fails = false;
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_false(entered.event & LOCKED);
}

static void closed(void) { *field(VMCS_GUEST_RFLAGS) = 2; }
static void window_opens(void)
{
    interruptible();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_IRQ_WINDOW;
}

static void an_offered_interrupt_is_taken_when_the_guest_can(void **state)
{
    struct hal_vcpu *v = &guest[0];
    run(closed);
    vcpu_offer_irq(v, 0x51);
    run(window_opens);
    assert_int_equal(entered.event, 0);
    assert_true(entered.proc & VMX_PROC_IRQ_WINDOW && vcpu_irq_offered(v));
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    run(interruptible);
    assert_int_equal(entered.event, 0x51 | LOCKED);
    assert_false(entered.proc & VMX_PROC_IRQ_WINDOW || vcpu_irq_offered(v));
    run(interruptible);
    assert_int_equal(entered.event, 0x51); /* once */
}

static void lowers_priority(void)
{
    apic[0][VIRTUAL_TPR] = 0x40; /* by MOV to CR8 */
    *field(VMCS_EXIT_REASON) = VMX_EXIT_TPR;
}

static void a_task_priority_holds_an_interrupt_back_until_it_falls(void **state)
{
    struct hal_vcpu *v = &guest[0];
    run(interruptible);
    vcpu_set_tpr(v, 0x50);
    vcpu_offer_irq(v, 0x51);
    run(interruptible);
    assert_int_equal(entered.event, 0);
    assert_true(entered.threshold == 5 && !(entered.proc & VMX_PROC_IRQ_WINDOW));
    run(lowers_priority);
    run(interruptible);
    assert_int_equal(entered.event, 0x51 | LOCKED);
    assert_int_equal(entered.threshold, 0);
}

static void an_interrupt_without_a_vector_yet_has_a_window_of_its_own(void **state)
{
    run(closed);
    vcpu_offer_irq(&guest[0], 0x51);
    vcpu_request_window(&guest[0]);
    run(window_opens);
    assert_int_equal(entered.event, 0);
    assert_int_equal(e.reason, VCPU_EXIT_WINDOW);
    vcpu_cancel_window(&guest[0]);
    assert_int_equal(vcpu_inject_irq(&guest[0], 0x20), 0);
    run(NULL);
    assert_int_equal(entered.event, 0x20 | LOCKED);
}

static void in_a_handler(void) { *field(VMCS_GUEST_INTERRUPTIBILITY) = SHADOW_NMI; }
static void handler_ends(void)
{
    *field(VMCS_GUEST_INTERRUPTIBILITY) = 0;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_NMI_WINDOW;
}

static void an_nmi_waits_for_the_end_of_the_one_before(void **state)
{
    struct hal_vcpu *v = &guest[0];
    assert_int_equal(vcpu_inject_nmi(v), 0);
    run(in_a_handler);
    assert_int_equal(entered.event, VEC_NMI | EVENT_NMI | EVENT_VALID);
    assert_true(vcpu_nmi_masked(v));
    assert_int_equal(vcpu_inject_nmi(v), -EBUSY);
    run(handler_ends);
    assert_true(entered.proc & VMX_PROC_NMI_WINDOW);
    assert_false(vcpu_nmi_masked(v));
    assert_int_equal(vcpu_inject_nmi(v), 0);
    run(NULL);
    assert_int_equal(entered.event, VEC_NMI | EVENT_NMI | EVENT_VALID);
    assert_false(entered.proc & VMX_PROC_NMI_WINDOW);
}

static u64 interruptibility;
static void interrupted(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_VECTORING_EVENT) = event;
    *field(VMCS_VECTORING_ERROR_CODE) = 0x18;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = interruptibility;
}

static void a_delivery_that_an_exit_interrupts_is_begun_again(void **state)
{
    run(protects);
    event = VEC_GP | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID;
    run(interrupted);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(*field(VMCS_ENTRY_ERROR_CODE), 0x18);
    event = 0x80 | EVENT_SOFT | EVENT_VALID; /* INT 80h is executed again */
    run(interrupted);
    run(NULL);
    assert_false(entered.event & LOCKED);
    event = VEC_NMI | EVENT_NMI | EVENT_VALID; /* an NMI must not find its own mask */
    interruptibility = SHADOW_NMI;
    run(interrupted);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(*field(VMCS_GUEST_INTERRUPTIBILITY), 0);
    interruptibility = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_exception_of_real_mode_has_no_error_code),
        T(an_event_that_an_entry_has_refused_is_not_for_the_next_run),
        T(an_offered_interrupt_is_taken_when_the_guest_can),
        T(a_task_priority_holds_an_interrupt_back_until_it_falls),
        T(an_interrupt_without_a_vector_yet_has_a_window_of_its_own),
        T(an_nmi_waits_for_the_end_of_the_one_before),
        T(a_delivery_that_an_exit_interrupts_is_begun_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
