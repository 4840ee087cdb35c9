/* SPDX-License-Identifier: MIT */
/* Exits of a guest by VT-x: what becomes of each of the manual's, and what a report of a fault has. */
#include "vmx_guest.h"

/* Of the manual's reasons (appendix C) these end the guest with a report: their controls are off, or its state is
 * broken. All others that exist are handled. */
static const u8 refused[] = { 3,  4,  5,  6,  9,  14, 16, 33, 34, 35, 37, 38, 41, 42, 44, 45, 46, 47,
                              49, 51, 52, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69 };

/* The machine knows these. Of any other it would say "an exit that the machine cannot handle", with registers that an
 * older exit has left in the record (vmx_load_whole()). */
static bool machine_knows(void)
{
    return e.reason != VCPU_EXIT_OTHER || e.addr == RAW_STRING_IO || e.addr == RAW_PAUSE ||
           vcpu_raw_is_undefined(e.addr);
}

static void each_exit_of_the_manual_is_settled_or_refused_with_words(void **state)
{
    for (u32 r = 0; r < 80; r++) { /* newer ones are for controls that are off, too, which bus locks (74) are */
        bool named = r >= VMX_EXIT_REASONS;
        for (unsigned i = 0; i < sizeof(refused); i++)
            named |= refused[i] == r;
        setup(NULL);
        exit_by(r);
        assert_int_equal(e.reason == VCPU_EXIT_FAULT, named);
        assert_true(machine_knows());
        if (named)
            assert_non_null(e.why);
    }
    for (u32 r = 0; r < 80; r++) { /* of entries that fail: 33, 34 and 41 exist; none is fast, whatever its low bits */
        setup(NULL);
        fast_handled = true;
        exit_by(1u << 31 | r);
        assert_int_equal(e.reason, VCPU_EXIT_FAULT);
        assert_string_equal(e.why, r == VMX_EXIT_BAD_STATE ? "VM entry refused the guest's state"
                                                           : "exit that this kernel did not ask for");
    }
    fails = true;
    run(NULL);
    assert_int_equal(e.reason, VCPU_EXIT_FAULT);
}

static void what_a_guest_must_not_execute_is_undefined_or_skipped(void **state)
{
    static const struct {
        u8 reason, vector, length;
    } all[] = { { 11, VEC_UD, 0 }, { 13, 0, 2 },      { 15, VEC_GP, 0 }, { 17, VEC_UD, 0 },
                { 20, VEC_UD, 0 }, { 27, VEC_UD, 0 }, { 36, VEC_UD, 0 }, { 39, VEC_UD, 0 },
                { 50, VEC_UD, 0 }, { 53, VEC_UD, 0 }, { 54, 0, 2 } };
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
        setup(NULL);
        u64 rip = entered.rip;
        exit_by(all[i].reason);
        run(NULL);
        assert_int_equal(entered.event & 0xff, all[i].vector);
        assert_int_equal(entered.rip, rip + all[i].length);
    }
}

static void by_control(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CR;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
}

static void a_write_of_cr0_changes_the_shadow_and_is_executed_again(void **state)
{
    guest[0].regs[RBX] = 0x80000021 | 1u << 30;
    qualification = RBX << 8;
    run(by_control);
    assert_int_equal(*field(VMCS_CR0_SHADOW), 0x10 | 0x20 | 1u << 30);
    vmx_load_operands(&guest[0]); /* the shadow is not read again */
    assert_int_equal(guest[0].cpu.cr0, 0x10 | 0x20 | 1u << 30);
    run(NULL);
    assert_int_equal(entered.event, 0);
    assert_int_equal(entered.rip, 0xfff0);
    assert_int_equal(*field(VMCS_GUEST_CR0), 0x30); /* paging is the processor's to switch on */
    guest[0].regs[RBX] = 1u << 29;                  /* NW without CD */
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    qualification = 4 | RBX << 8; /* CR4: only bits that a guest must not set exit */
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
}

/* A machine check that comes while a guest has cleared it would stop the machine. */
static void cr4_mce_stays_set_whatever_the_guest_wants(void **state)
{
    assert_true(*field(VMCS_GUEST_CR4) & CR4_MCE && *field(VMCS_CR4_MASK) & CR4_MCE);
    assert_false(*field(VMCS_CR4_SHADOW) & CR4_MCE);
    for (unsigned i = 0; i < 2; i++) {
        u64 want = i ? 0 : CR4_MCE;
        guest[0].regs[RBX] = want | CR4_PAE;
        qualification = 4 | RBX << 8;
        run(by_control);
        run(NULL);
        assert_true(!entered.event && entered.rip == 0xfff0); /* executed again: it sets CR4.PAE */
        assert_int_equal(*field(VMCS_CR4_SHADOW), want);
        assert_true(*field(VMCS_GUEST_CR4) & CR4_MCE);
        vmx_load_whole(&guest[0]);
        assert_int_equal(guest[0].cpu.cr4, want);
    }
    guest[0].regs[RBX] = CR4_MCE | CR4_VMXE;
    run(by_control);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    assert_int_equal(*field(VMCS_CR4_SHADOW), 0);
}

static void at_a_port(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_IO;
    *field(VMCS_EXIT_QUALIFICATION) = qualification;
    guest[0].cpu.rax = 0x1122334455667788;
}

static void a_port_its_size_and_direction_are_the_hardwares(void **state)
{
    qualification = 0x3f8ul << 16 | 1;
    run(at_a_port);
    assert_true(e.reason == VCPU_EXIT_PIO && e.addr == 0x3f8 && e.size == 2 && e.write);
    assert_int_equal((u16)e.value, 0x7788); /* its user takes `size` bytes */
    qualification |= VMX_IO_IN;
    run(at_a_port);
    assert_false(e.write);
    vcpu_complete_read(&guest[0], &e, 0xabcd);
    assert_true(guest[0].cpu.rax == 0x112233445566abcd && guest[0].cpu.rip == 0xfff2);
    qualification |= VMX_IO_STRING;
    run(at_a_port);
    assert_true(e.reason == VCPU_EXIT_OTHER && e.addr == RAW_STRING_IO && vcpu_io_port(&guest[0]) == 0x3f8);
}

static void near_the_end(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_HLT;
    *field(VMCS_EXIT_LENGTH) = 1;
    *field(VMCS_GUEST_RIP) = 0xffff;
}

static void calls_near_the_end(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CPUID;
    *field(VMCS_GUEST_RIP) = 0xffff;
}

static void rip_wraps_at_the_end_of_a_segment_of_16_bits(void **state)
{
    run(near_the_end);
    assert_int_equal(e.reason, VCPU_EXIT_IDLE);
    vcpu_complete(&guest[0], &e);
    run(NULL);
    assert_int_equal(entered.rip, 0);
    fast_handled = true;
    run(calls_near_the_end);
    assert_int_equal(e.reason, VCPU_EXIT_CPUID);
    vcpu_advance(&guest[0], 2);
    vcpu_advanced(&guest[0]);
    run(NULL);
    assert_int_equal(entered.rip, 1);
}

static void an_undefined_opcode_is_for_the_machine_and_an_nmi_for_the_host(void **state)
{
    event = VEC_UD | EVENT_EXCEPTION | EVENT_VALID;
    run(by_event);
    assert_true(e.reason == VCPU_EXIT_OTHER && vcpu_raw_is_undefined(e.addr));
    event = VEC_NMI | EVENT_NMI | EVENT_VALID;
    run(by_event);
    assert_int_equal(e.reason, VCPU_EXIT_IRQ);
    assert_int_equal(nmis_taken, 1);
    event = VEC_AC | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID;
    *field(VMCS_GUEST_CR0) |= 1;
    run(by_event);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
}

static void moves_on(void)
{
    *field(VMCS_GUEST_CS) = 0x33;
    *field(VMCS_GUEST_CR3) = 0x9000;
    host_cr2 = 0x4000;
}
static void machine_check(void)
{
    moves_on();
    event = VEC_MC | EVENT_EXCEPTION | EVENT_VALID;
    by_event();
}
static void clts(void)
{
    moves_on();
    *field(VMCS_EXIT_REASON) = VMX_EXIT_CR;
    *field(VMCS_EXIT_QUALIFICATION) = 0x20;
}
static void refuses(void)
{
    moves_on();
    *field(VMCS_EXIT_REASON) = 1u << 31 | VMX_EXIT_BAD_STATE;
}

static void a_report_of_a_fault_has_the_registers_of_that_moment(void **state)
{
    static void (*const ends[])(void) = { machine_check, clts, refuses, NULL };
    for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
        const struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
        setup(NULL);
        fails = !ends[i]; /* an entry that fails at once */
        if (fails)
            moves_on();
        run(ends[i]);
        assert_int_equal(e.reason, VCPU_EXIT_FAULT);
        assert_true(cpu->cs.selector == 0x33 && cpu->cr3 == 0x9000 && cpu->cr2 == 0x4000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(each_exit_of_the_manual_is_settled_or_refused_with_words),
        T(what_a_guest_must_not_execute_is_undefined_or_skipped),
        T(a_write_of_cr0_changes_the_shadow_and_is_executed_again),
        T(cr4_mce_stays_set_whatever_the_guest_wants),
        T(a_port_its_size_and_direction_are_the_hardwares),
        T(rip_wraps_at_the_end_of_a_segment_of_16_bits),
        T(an_undefined_opcode_is_for_the_machine_and_an_nmi_for_the_host),
        T(a_report_of_a_fault_has_the_registers_of_that_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
