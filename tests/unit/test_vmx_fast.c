/* SPDX-License-Identifier: MIT */
/* Exits of a guest by VT-x that the machine handles before the host's state is loaded back, and what must not be. */
#include "vmx_guest.h"

static void a_fast_exit_moves_rip_by_the_hardwares_length(void **state)
{
    fast_handled = true;
    reason = VMX_EXIT_WRMSR;
    run(exits);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ); /* the interrupt after it */
    assert_true(fast_written);
    assert_int_equal(*field(VMCS_GUEST_RIP), 0xfff2);
    reason = VMX_EXIT_RDMSR;
    run(exits);
    assert_true(vcpu_raw_is_msr(fast_code) && !fast_written);
    assert_int_equal(guest[0].cpu.rip, 0xfff4); /* the exit by the interrupt has read it */
    reason = VMX_EXIT_VMCALL;
    run(exits);
    assert_int_equal(fast_code, RAW_HYPERCALL);
    assert_int_equal(guest[0].cpu.rip, 0xfff6);
}

static u64 cr4_found;
static bool machine_looks(struct hal_vcpu *v, u64 code)
{
    cr4_found = vcpu_cpu(v)->cr4;
    vcpu_advance(v, 2);
    return true;
}

static void asks_cpuid(void)
{
    *field(VMCS_GUEST_CR4) = CR4_OSXSAVE | CR4_VMXE;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CPUID;
}

static void traced_asks_cpuid(void)
{
    asks_cpuid();
    *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_TF;
}

/* On the slow path another guest may have the core before CPUID is answered. */
static void cpuid_is_answered_with_the_guests_own_cr4(void **state)
{
    guest[0].fast = machine_looks;
    guest[0].cpu.rax = 1;
    guest[0].cpu.cr4 = 0;
    run(asks_cpuid);
    assert_int_equal(cr4_found, CR4_OSXSAVE);
    guest[0].cpu.cr4 = 0;
    run(traced_asks_cpuid);
    assert_int_equal(e.reason, VCPU_EXIT_CPUID);
    run_guest(1, NULL);
    assert_int_equal(vcpu_cpu(&guest[0])->cr4, CR4_OSXSAVE);
}

static unsigned offers = 0x51;
static bool offering(struct hal_vcpu *v, u64 code)
{
    vcpu_offer_irq(v, offers);
    vcpu_advance(v, 2);
    return true;
}

static void sends_itself_an_interrupt(void)
{
    interruptible();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
}

static void an_interrupt_that_the_guest_sends_itself_comes_at_once(void **state)
{
    guest[0].fast = offering;
    run(sends_itself_an_interrupt);
    assert_int_equal(*field(VMCS_ENTRY_EVENT), 0x51 | LOCKED); /* injected by the same turn */
    assert_false(vcpu_irq_offered(&guest[0]));
    guest[0].fast = machine_fast;
}

static void masked_sends_itself_an_interrupt(void)
{
    *field(VMCS_GUEST_RFLAGS) = 2;
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
}

static void one_that_it_must_not_take_yet_waits_for_its_window_or_its_priority(void **state)
{
    guest[0].fast = offering;
    run(masked_sends_itself_an_interrupt);
    assert_false(*field(VMCS_ENTRY_EVENT) & LOCKED);
    assert_true(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IRQ_WINDOW && vcpu_irq_offered(&guest[0]));
    offers = 0x61;
    run(sends_itself_an_interrupt); /* the window that was armed is not left behind */
    offers = 0x51;
    assert_int_equal(*field(VMCS_ENTRY_EVENT), 0x61 | LOCKED);
    assert_false(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IRQ_WINDOW);
    run(interruptible);
    apic[0][VIRTUAL_TPR] = 0x50; /* of the same class */
    run(sends_itself_an_interrupt);
    assert_false(*field(VMCS_ENTRY_EVENT) & LOCKED);
    assert_int_equal(*field(VMCS_TPR_THRESHOLD), 5);
}

static void a_call_that_is_not_the_fast_one_is_not_tried(void **state)
{
    fast_handled = true;
    fast_code = 0;
    guest[0].cpu.rax = 1;
    exit_by(VMX_EXIT_VMCALL);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && !fast_code);
    vcpu_fast_call(&guest[0], 1);
    exit_by(VMX_EXIT_VMCALL);
    assert_true(e.reason == VCPU_EXIT_IRQ && fast_code == RAW_HYPERCALL);
}

static bool changing_efer(struct hal_vcpu *v, u64 code)
{
    vcpu_cpu(v)->efer = EFER_LME;
    vcpu_dirty(v, CLEAN_CR);
    vcpu_advance(v, 2);
    return true;
}

static void what_the_machine_changes_on_the_fast_path_is_written_by_the_next_entry(void **state)
{
    guest[0].fast = changing_efer;
    reason = VMX_EXIT_WRMSR;
    run(exits);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ); /* nothing is left to do */
    assert_int_equal(*field(VMCS_GUEST_EFER), 0);
    run(NULL);
    assert_true(entered.rip == 0xfff2 && *field(VMCS_GUEST_EFER) == EFER_LME);
}

static u64 flags, rights, interruptibility;
static void special(void)
{
    *field(VMCS_EXIT_REASON) = reason;
    *field(VMCS_GUEST_RFLAGS) = flags;
    *field(VMCS_GUEST_SS_RIGHTS) = rights;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = interruptibility;
}

static void what_something_follows_is_not_fast(void **state)
{
    fast_handled = true;
    reason = VMX_EXIT_VMCALL;
    flags = 2;
    rights = 0x93 | 0x60; /* user mode */
    run(special);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && vcpu_cpu(&guest[0])->cpl == 3);
    rights = 0x93;
    flags = 2 | RFLAGS_TF;
    run(special);
    assert_true(e.reason == VCPU_EXIT_HYPERCALL && !vcpu_cpu(&guest[0])->cpl);
    assert_false(vcpu_event_due(&guest[0]));
    vcpu_complete(&guest[0], &e);           /* its single-step trap comes at the next entry */
    assert_true(vcpu_event_due(&guest[0])); /* and so ends a HLT */
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_DB);
    assert_true(host_dr6 & DR6_BS);
    flags = 2 | RFLAGS_IF;
    interruptibility = SHADOW_STI;
    run(special);
    assert_int_equal(e.reason, VCPU_EXIT_HYPERCALL);
    vcpu_complete(&guest[0], &e);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_INTERRUPTIBILITY), 0);
    interruptibility = 0;
}

static void xsetbv_is_for_the_kernel_of_a_guest(void **state)
{
    reason = VMX_EXIT_XSETBV;
    flags = 2;
    guest[0].cpu.rax = 1;
    guest[0].regs[RDX] = 0;
    rights = 0x93;
    run(special);
    run(NULL);
    assert_int_equal(entered.event, 0);
    rights = 0x93 | 0x60; /* user mode */
    run(special);
    run(NULL);
    assert_int_equal(entered.event, VEC_GP | EVENT_EXCEPTION | EVENT_VALID);
}

static void shadowed(void)
{
    *field(VMCS_GUEST_RFLAGS) = 2 | RFLAGS_TF | RFLAGS_IF;
    *field(VMCS_GUEST_INTERRUPTIBILITY) = SHADOW_STI;
}

static void a_traced_guest_in_an_interrupt_shadow_has_its_trap_pending(void **state)
{
    run(shadowed);
    assert_int_equal(*field(VMCS_GUEST_PENDING_DEBUG), 0);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_PENDING_DEBUG), 1 << 14); /* 27.3.1.5 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_fast_exit_moves_rip_by_the_hardwares_length),
        T(cpuid_is_answered_with_the_guests_own_cr4),
        T(an_interrupt_that_the_guest_sends_itself_comes_at_once),
        T(one_that_it_must_not_take_yet_waits_for_its_window_or_its_priority),
        T(a_call_that_is_not_the_fast_one_is_not_tried),
        T(what_the_machine_changes_on_the_fast_path_is_written_by_the_next_entry),
        T(what_something_follows_is_not_fast),
        T(xsetbv_is_for_the_kernel_of_a_guest),
        T(a_traced_guest_in_an_interrupt_shadow_has_its_trap_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
