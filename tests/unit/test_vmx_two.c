/* SPDX-License-Identifier: MIT */
/* Two guests of a core by VT-x: registers that no VMCS has are each guest's own, as are translations. */
#include "vmx_guest.h"

static void sets_star(void)
{
    *field(VMCS_EXIT_REASON) = VMX_EXIT_WRMSR;
    guest[0].regs[RCX] = MSR_STAR + 1;
    guest[0].cpu.rax = 0x81000000;
    guest[0].regs[RDX] = 0xffffffff;
}

static void registers_of_system_calls_are_each_guests_own(void **state)
{
    run(sets_star);
    assert_int_equal(msr_star[1], 0xffffffff81000000);
    run(NULL);
    assert_int_equal(entered.rip, 0xfff2);
    msr_kernel_gs = 0x1234; /* the guest has executed SWAPGS */
    run_guest(1, NULL);
    assert_int_equal(msr_star[1], 0);
    assert_int_equal(msr_kernel_gs, 0);
    run(NULL);
    assert_int_equal(msr_star[1], 0xffffffff81000000);
    assert_int_equal(msr_kernel_gs, 0x1234);
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_true(!msr_star[1] && !msr_kernel_gs);
    guest[0].regs[RDX] = 0x8000; /* not canonical: the host's own WRMSR would fault */
    guest[0].regs[RCX] = MSR_STAR + 1;
    exit_by(VMX_EXIT_WRMSR);
    run(NULL);
    assert_int_equal(entered.event & 0xff, VEC_GP);
    assert_int_equal(msr_star[1], 0);
}

/* A core that gets its first program when guests were prepared, but none has run: nothing is taken off it, and then the
 * kernel's own are in the registers. */
static void a_guest_does_not_find_the_kernels_registers_of_system_calls(void **state)
{
    memset(vmx_core_of(&core), 0, sizeof(struct vmx_core));
    assert_false(guest_registers_left(&core.arch));
    for (unsigned i = 0; i < 4; i++)
        msr_star[i] = 0x1000 + i;
    host_registers_keep(&core.arch);
    assert_false(guest_registers_left(&core.arch));
    run(NULL);
    assert_true(guest_registers_left(&core.arch));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(msr_star[i], 0);
}

static void registers_are_taken_off_a_core_once_for_all_programs_that_follow(void **state)
{
    static const u64 kernels[] = { 0x1000, 0x1001, 0x1002, 0x1003 };
    vcpu_set_tsc_aux(&guest[0], 7);
    run(sets_star);
    msr_kernel_gs = 0x1234;
    for (unsigned i = 0; i < 2; i++) {
        assert_true(guest_registers_left(&core.arch));
        gdt_limit = 0xffff;
        guest_registers_remove(&core.arch, kernels);
        assert_false(guest_registers_left(&core.arch));
        assert_memory_equal(msr_star, kernels, sizeof(kernels));
        assert_true(!msr_kernel_gs && !msr_tsc_aux && gdt_limit == sizeof(core.arch.gdt) - 1);
        run(NULL);
        assert_int_equal(msr_star[1], 0xffffffff81000000);
        assert_true(msr_kernel_gs == 0x1234 && msr_tsc_aux == 7);
    }
}

static void debug_registers_are_each_guests_own(void **state)
{
    exit_by(VMX_EXIT_DR);
    run(NULL);
    assert_false(entered.proc & VMX_PROC_DR);
    host_dr[0] = 0x1000;
    host_dr6 = 0xffff0ff1;
    run_guest(1, NULL);
    assert_true(entered.proc & VMX_PROC_DR);
    assert_int_equal(host_dr[0], 0x1000); /* nobody else's use is harmed, as it exits */
    reason = VMX_EXIT_DR;
    run_guest(1, exits);
    assert_int_equal(host_dr[0], 0);
    run(NULL);
    assert_true(entered.proc & VMX_PROC_DR);
    vmcs[0].field[VMCS_GUEST_DR7] = 0x401; /* one that is on must hit */
    run_guest(1, NULL);
    run(NULL);
    assert_true(host_dr[0] == 0x1000 && host_dr6 == 0xffff0ff1);
    event = VEC_DB | EVENT_EXCEPTION | EVENT_VALID;
    qualification = DR6_BS;
    run(by_event);
    run(NULL);
    assert_int_equal(entered.event, (u32)event);
    assert_int_equal(host_dr6, 0xffff0ff0 | DR6_BS);
}

static void a_vpid_has_one_owner_and_is_flushed_before_it_gets_the_next(void **state)
{
    run_guest(1, NULL);
    assert_int_not_equal(vmcs[0].field[VMCS_VPID], vmcs[1].field[VMCS_VPID]);
    vmx_core_of(&core)->next_vpid = 0x10000;
    setup(NULL);
    vmx_core_of(&core)->next_vpid = 0x10000;
    flushed_vpid = 0;
    run_guest(1, NULL); /* a new generation: 1 is its first */
    assert_true(guest[1].vpid == 1 && flushed_vpid == 1 && last_vpid == 1);
    run(NULL);
    assert_true(guest[0].vpid == 2 && flushed_vpid == 2 && last_vpid == 2);
    flushed_ept = 0;
    vcpu_flush(&guest[0]);
    run(NULL);
    assert_true(flushed_ept == 1 && flushed_vpid == 3);
}

static void loads_cr2(void) { host_cr2 = 0x4000; }
static void cr2_and_tsc_aux_are_each_guests_own(void **state)
{
    vcpu_set_tsc_aux(&guest[0], 7);
    run(loads_cr2);
    assert_int_equal(msr_tsc_aux, 7);
    run_guest(1, NULL);
    assert_true(host_cr2 == 0 && msr_tsc_aux == 0);
    run(NULL);
    assert_true(host_cr2 == 0x4000 && msr_tsc_aux == 7);
}

/* Also while nobody else has had the core since the life before, and if INIT comes before the guest runs again. */
static void a_reset_ends_tsc_aux_and_init_keeps_it(void **state)
{
    vcpu_set_tsc_aux(&guest[0], 7);
    run(NULL);
    vcpu_set_tsc_aux(&guest[0], 8);
    vcpu_init(&guest[0]);
    run(NULL);
    assert_int_equal(msr_tsc_aux, 8);
    vcpu_reset(&guest[0]);
    run(NULL);
    assert_int_equal(msr_tsc_aux, 0);
}

static void is_reset_elsewhere(void) { vcpu_reset(&guest[0]); }

/* The machine is started anew by a core that is not its own, on which the registers still are those of the life before:
 * at the same moment, or before, another guest gets that core. */
static void a_reset_by_another_core_is_not_undone_by_what_the_registers_still_have(void **state)
{
    for (unsigned before = 0; before < 2; before++) {
        exit_by(VMX_EXIT_DR);
        run(loads_cr2);
        host_dr[0] = 0x1000;
        host_dr6 = 0xffff0ff1;
        if (before)
            is_reset_elsewhere();
        else
            host_reading_cr2 = is_reset_elsewhere;
        reason = VMX_EXIT_DR;
        run_guest(1, exits);
        assert_int_equal(host_dr[0], 0);
        exit_by(VMX_EXIT_DR);
        assert_int_equal(host_cr2, 0);
        assert_true(!host_dr[0] && host_dr6 == 0xffff0ff0);
    }
}

/* One of an older processor, or beneath a hypervisor that hides both instructions. */
static void a_processor_without_tsc_aux_is_not_asked_for_it(void **state)
{
    static const u64 kernels[4];
    vmx_capability.tsc_aux = false;
    msr_tsc_aux = 0x55;
    vcpu_set_tsc_aux(&guest[0], 7);
    run(NULL);
    run_guest(1, NULL);
    guest_registers_remove(&core.arch, kernels);
    run(NULL);
    vmx_capability.tsc_aux = true;
    assert_int_equal(msr_tsc_aux, 0x55);
}

/* CR2 stays in the register while nobody else has the core. */
static void a_cr2_that_the_machine_sets_is_not_lost_to_another_guest_or_a_program(void **state)
{
    static const u64 kernels[4];
    run(loads_cr2);
    vcpu_cpu(&guest[0])->cr2 = 0x5000; /* as for a page fault */
    vcpu_dirty(&guest[0], CLEAN_CR2);
    run_guest(1, NULL);
    assert_int_equal(host_cr2, 0);
    run(NULL);
    assert_int_equal(host_cr2, 0x5000);
    run(loads_cr2);
    vcpu_cpu(&guest[0])->cr2 = 0x6000; /* and while the core is its own */
    vcpu_dirty(&guest[0], CLEAN_CR2);
    run(NULL);
    assert_int_equal(host_cr2, 0x6000);
    run(loads_cr2);
    guest_registers_remove(&core.arch, kernels);
    host_cr2 = 0x7000; /* a program's fault */
    run(NULL);
    assert_int_equal(host_cr2, 0x4000);
    host_cr2 = 0x8000;        /* the guest's */
    exit_by(VMX_EXIT_TRIPLE); /* reported */
    assert_int_equal(vcpu_cpu(&guest[0])->cr2, 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(registers_of_system_calls_are_each_guests_own),
        T(a_guest_does_not_find_the_kernels_registers_of_system_calls),
        T(registers_are_taken_off_a_core_once_for_all_programs_that_follow),
        T(debug_registers_are_each_guests_own),
        T(a_vpid_has_one_owner_and_is_flushed_before_it_gets_the_next),
        T(cr2_and_tsc_aux_are_each_guests_own),
        T(a_reset_ends_tsc_aux_and_init_keeps_it),
        T(a_reset_by_another_core_is_not_undone_by_what_the_registers_still_have),
        T(a_processor_without_tsc_aux_is_not_asked_for_it),
        T(a_cr2_that_the_machine_sets_is_not_lost_to_another_guest_or_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
