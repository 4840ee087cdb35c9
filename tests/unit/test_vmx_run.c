/* SPDX-License-Identifier: MIT */
/* Entries of a guest by VT-x: what of its state is written before one, and what is read after the exit. */
#include "vmx_guest.h"

static void the_first_entry_is_the_state_after_reset(void **state)
{
    assert_int_equal(entered.rip, 0xfff0);
    assert_int_equal(*field(VMCS_GUEST_CS_BASE), 0xffff0000);
    assert_int_equal(*field(VMCS_GUEST_CS_RIGHTS), 0x9b);
    assert_int_equal(*field(VMCS_GUEST_TR_RIGHTS), 0x8b);
    assert_int_equal(*field(VMCS_GUEST_TR_LIMIT), 0xffff);
    assert_int_equal(*field(VMCS_GUEST_LDTR_RIGHTS), 0x82);
    assert_int_equal(*field(VMCS_GUEST_CR0), 0x30); /* NE, which the guest does not see */
    assert_int_equal(*field(VMCS_CR0_SHADOW), 0x10);
    assert_int_equal(*field(VMCS_GUEST_CR4), CR4_VMXE | CR4_MCE);
    assert_int_equal(*field(VMCS_CR4_SHADOW), 0);
    assert_int_equal(*field(VMCS_GUEST_RFLAGS), 2);
    assert_true(*field(VMCS_PROC_CONTROLS) & VMX_PROC_IO && *field(VMCS_PROC_CONTROLS) & VMX_PROC_DR);
    assert_int_equal(guest[0].regs[RDX], 0x123);
    assert_int_equal(*field(VMCS_VPID), 1);
    assert_true(flushed_ept == 1 && last_vpid == 1);
}

static void an_entry_writes_what_has_changed_and_nothing_else(void **state)
{
    memset(current_vmcs->written, 0, sizeof(current_vmcs->written));
    run(NULL);
    for (u32 f = 0; f < 0x8000; f++)
        assert_int_equal(current_vmcs->written[f], 0);
    guest[0].cpu.rip += 5;
    run(NULL);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_RIP], 1);
    assert_int_equal(entered.rip, 0xfff5);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_RFLAGS], 0);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_CR0], 0);
}

static void null_segment(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_EXIT_QUALIFICATION) = EPT_LINEAR | EPT_FINAL | EPT_WROTE;
    *field(VMCS_GUEST_PHYSICAL) = 0xfe001234;
    *field(VMCS_GUEST_SS_RIGHTS) = 0x10000 | 0x60; /* unusable, but its DPL is the CPL */
    *field(VMCS_GUEST_CS_RIGHTS) = 0xa0fb;
    *field(VMCS_GUEST_FS_BASE) = 0x123000;
    *field(VMCS_GUEST_RSP) = 0x7000;
    *field(VMCS_GUEST_CR0) = 0x80010031;
    *field(VMCS_GUEST_EFER) = EFER_LME | EFER_LMA;
}

static void registers_are_read_for_an_exit_that_needs_them_and_go_back_unchanged(void **state)
{
    run(null_segment);
    struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
    assert_int_equal(e.reason, VCPU_EXIT_MMIO);
    assert_true(e.write && e.addr == 0xfe001234);
    assert_false(vcpu_missed_table(&guest[0]) || vcpu_missed_code(&guest[0]));
    assert_int_equal(cpu->cpl, 3);
    assert_int_equal(cpu->cs.attributes, 0xafb); /* L, and what a code segment of user mode has */
    assert_int_equal(guest_code_bits(cpu), 64);
    assert_int_equal(cpu->fs.base, 0x123000);
    assert_int_equal(cpu->cr0, 0x80010011); /* NE is ours */
    assert_int_equal(cpu->rsp, 0x7000);
    cpu->rsp = 0x6ff8;
    memset(current_vmcs->written, 0, sizeof(current_vmcs->written));
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_RSP), 0x6ff8);
    assert_int_equal(current_vmcs->written[VMCS_GUEST_CS_RIGHTS], 0);
    assert_int_equal(*field(VMCS_GUEST_CS_RIGHTS), 0xa0fb);
    assert_int_equal(*field(VMCS_GUEST_SS_RIGHTS), 0x10060);
    *field(VMCS_GUEST_RSP) = 0x5000; /* the guest's own doing: what was written once is not written again */
    run(NULL);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_RSP), 0x5000);
}

static void in_code_of_32_bits(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_EPT;
    *field(VMCS_GUEST_CS_RIGHTS) = 0xc09b;
    *field(VMCS_GUEST_ES_BASE) = 0x1000;
    *field(VMCS_GUEST_CS_BASE) = 0x2000;
    *field(VMCS_GUEST_DS_BASE) = 0x3000;
    *field(VMCS_GUEST_GS_BASE) = 0x4000;
}

static void code_of_32_bits_has_all_its_segments(void **state)
{
    run(in_code_of_32_bits);
    const struct guest_cpu *cpu = vcpu_cpu(&guest[0]);
    assert_int_equal(guest_code_bits(cpu), 32);
    assert_true(cpu->es.base == 0x1000 && cpu->cs.base == 0x2000 && cpu->ds.base == 0x3000 && cpu->gs.base == 0x4000);
}

static void a_guests_lma_goes_with_the_entry_control(void **state)
{
    vcpu_cpu(&guest[0])->efer = EFER_LME | EFER_LMA;
    vcpu_dirty(&guest[0], CLEAN_CR);
    run(NULL);
    assert_int_equal(*field(VMCS_GUEST_EFER), EFER_LME | EFER_LMA);
    assert_true(*field(VMCS_ENTRY_CONTROLS) & VMX_ENTRY_64);
    vcpu_cpu(&guest[0])->efer = 0;
    vcpu_dirty(&guest[0], CLEAN_CR);
    run(NULL);
    assert_false(*field(VMCS_ENTRY_CONTROLS) & VMX_ENTRY_64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_first_entry_is_the_state_after_reset),
        T(an_entry_writes_what_has_changed_and_nothing_else),
        T(registers_are_read_for_an_exit_that_needs_them_and_go_back_unchanged),
        T(code_of_32_bits_has_all_its_segments),
        T(a_guests_lma_goes_with_the_entry_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
