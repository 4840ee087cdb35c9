/* SPDX-License-Identifier: MIT */
/* The checked mode of VT-x (vmx/entry_check.c): an entry as it should be passes, and each rule that is broken alone is
 * named. The VMCS is an array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include "arch/x86/vmx/core.h"

char *strstr(const char *text, const char *word); /* the kernel has none */

#define CODE_64 0xa09b
#define TSS     0x8b

static struct cpu core;
struct cpu *host_this_cpu = &core;
bool host_irq_on;
paddr_t vmx_msr_map = 0x5000;
static struct fake_vmcs vmcs;
struct fake_vmcs *current_vmcs = &vmcs;
static struct hal_vcpu guest, other;

static const struct {
    u32 field;
    u64 value;
} good[] = {
    { VMCS_PIN_CONTROLS, VMX_PIN_INTERRUPT | VMX_PIN_NMI | VMX_PIN_VIRTUAL_NMIS },
    { VMCS_PROC_CONTROLS, ~0u },
    { VMCS_PROC2_CONTROLS, VMX_PROC2_EPT | VMX_PROC2_VPID | VMX_PROC2_UNRESTRICTED },
    { VMCS_EXIT_CONTROLS, VMX_EXIT_HOST_64 | VMX_EXIT_PAT_EFER },
    { VMCS_ENTRY_CONTROLS, VMX_ENTRY_PAT_EFER | VMX_ENTRY_64 },
    { VMCS_EXCEPTION_BITMAP, 1u << VEC_DB | 1u << VEC_AC | 1u << VEC_MC },
    { VMCS_EPT_POINTER, 0x701e },
    { VMCS_MSR_BITMAP, 0x5000 },
    { VMCS_LINK_POINTER, ~0ul },
    { VMCS_CR0_MASK, 0x60000020 },
    { VMCS_CR4_MASK, CR4_NEVER | CR4_MCE },
    { VMCS_GUEST_CR0, 0x80000031 },
    { VMCS_GUEST_CR4, CR4_VMXE | CR4_MCE | CR4_PAE },
    { VMCS_GUEST_EFER, EFER_LME | EFER_LMA },
    { VMCS_GUEST_RIP, 0xffffffff81000000 },
    { VMCS_GUEST_RFLAGS, 2 },
    { VMCS_GUEST_CS_RIGHTS, CODE_64 },
    { VMCS_GUEST_TR_RIGHTS, TSS },
    { VMCS_VPID, 7 },
};

static int setup(void **state)
{
    memset(&vmcs, 0, sizeof(vmcs));
    for (unsigned i = 0; i < ARRAY_SIZE(good); i++)
        vmcs.field[good[i].field] = good[i].value;
    guest = other = (struct hal_vcpu){ .eptp = 0x701e, .vpid = 7, .proc = ~0u };
    guest.vpid_generation = ++other.vpid_generation;
    return 0;
}

static void an_entry_as_it_should_be_passes(void **state)
{
    assert_null(vmx_check_entry(&guest));
    vmcs.field[VMCS_ENTRY_EVENT] = 0x51 | EVENT_VALID;
    vmcs.field[VMCS_GUEST_RFLAGS] = 0x202;
    assert_null(vmx_check_entry(&guest));
    vmcs.field[VMCS_ENTRY_EVENT] = VEC_GP | EVENT_EXCEPTION | EVENT_ERROR | EVENT_VALID;
    vmcs.field[VMCS_GUEST_INTERRUPTIBILITY] = SHADOW_STI;
    assert_null(vmx_check_entry(&guest));
    /* Real mode, as after RESET. */
    vmcs.field[VMCS_ENTRY_EVENT] = VEC_GP | EVENT_EXCEPTION | EVENT_VALID;
    vmcs.field[VMCS_GUEST_CR0] = 0x30;
    vmcs.field[VMCS_GUEST_CR4] = CR4_VMXE | CR4_MCE;
    vmcs.field[VMCS_GUEST_EFER] = 0;
    vmcs.field[VMCS_ENTRY_CONTROLS] = VMX_ENTRY_PAT_EFER;
    vmcs.field[VMCS_GUEST_CS_RIGHTS] = 0x9b;
    vmcs.field[VMCS_GUEST_RIP] = 0xfff0;
    assert_null(vmx_check_entry(&guest));
}

static void each_rule_of_an_entry_is_noticed(void **state)
{
    static const struct {
        u32 field;
        u64 value;
        const char *word;
    } broken[] = {
        { VMCS_PIN_CONTROLS, VMX_PIN_INTERRUPT | VMX_PIN_VIRTUAL_NMIS, "isolation" },
        { VMCS_PROC_CONTROLS, ~VMX_PROC_IO, "isolation" },
        { VMCS_PROC_CONTROLS, ~VMX_PROC_MSR_MAP, "isolation" },
        { VMCS_PROC2_CONTROLS, VMX_PROC2_VPID | VMX_PROC2_UNRESTRICTED, "isolation" },
        { VMCS_EXIT_CONTROLS, VMX_EXIT_HOST_64, "isolation" },
        { VMCS_EXCEPTION_BITMAP, 1u << VEC_DB | 1u << VEC_MC, "isolation" },
        { VMCS_EPT_POINTER, 0x801e, "table" },
        { VMCS_MSR_BITMAP, 0, "table" },
        { VMCS_MSR_BITMAP, 0x6000, "table" },
        { VMCS_LINK_POINTER, 0, "table" },
        { VMCS_CR4_MASK, CR4_NEVER, "ours" },
        { VMCS_CR0_MASK, 0, "ours" },
        { VMCS_ENTRY_MSR_LOADS, 1, "list of MSRs" },
        { VMCS_GUEST_CR0, 0x80000030, "CR0 that" },
        { VMCS_GUEST_CR0, 0x80000011, "CR0 that" },
        { VMCS_GUEST_CR0, 0x180000031, "CR0 that" },
        { VMCS_GUEST_CR4, CR4_VMXE | CR4_PAE, "CR4 that" },
        { VMCS_GUEST_CR4, CR4_VMXE | CR4_MCE | CR4_PAE | 1ul << 23, "CR4 that" },
        { VMCS_GUEST_CR4, CR4_VMXE | CR4_MCE, "PAE" },
        { VMCS_GUEST_EFER, EFER_LME, "EFER" },
        { VMCS_GUEST_EFER, EFER_LMA, "EFER" },
        { VMCS_GUEST_EFER, EFER_LME | EFER_LMA | EFER_SVME, "EFER" },
        { VMCS_ENTRY_CONTROLS, VMX_ENTRY_PAT_EFER, "EFER" },
        { VMCS_GUEST_RFLAGS, 0, "RFLAGS" },
        { VMCS_GUEST_RFLAGS, 2 | 1ul << 22, "RFLAGS" },
        { VMCS_GUEST_RFLAGS, 2 | 1ul << 17, "RFLAGS" },
        { VMCS_GUEST_CS_RIGHTS, CODE_64 | 1u << 14, "CS" },
        { VMCS_GUEST_CS_RIGHTS, CODE_64 | 1u << 16, "CS" },
        { VMCS_GUEST_CS_RIGHTS, 0xc09b, "RIP" }, /* compatibility mode */
        { VMCS_GUEST_RIP, 1ul << 60, "RIP" },
        { VMCS_GUEST_TR_RIGHTS, 0x83, "TSS" },
        { VMCS_GUEST_ACTIVITY, 1, "activity" },
        { VMCS_GUEST_INTERRUPTIBILITY, SHADOW_STI, "shadow" },
        { VMCS_GUEST_INTERRUPTIBILITY, 1u << 5, "shadow" },
        { VMCS_ENTRY_EVENT, 0x51 | EVENT_VALID, "cannot take" },
        { VMCS_ENTRY_EVENT, 32 | EVENT_EXCEPTION | EVENT_VALID, "is none" },
        { VMCS_ENTRY_EVENT, 3 | EVENT_NMI | EVENT_VALID, "is none" },
        { VMCS_ENTRY_EVENT, 1 | 1u << 8 | EVENT_VALID, "is none" },
        { VMCS_ENTRY_EVENT, VEC_NMI | EVENT_NMI | EVENT_ERROR | EVENT_VALID, "error code" },
        { VMCS_TPR_THRESHOLD, 3, "record lies" },
        { VMCS_VPID, 8, "record lies" },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(broken); i++) {
        setup(NULL);
        vmcs.field[broken[i].field] = broken[i].value;
        if (broken[i].field == VMCS_PROC_CONTROLS)
            guest.proc = (u32)broken[i].value;
        const char *rule = vmx_check_entry(&guest);
        assert_non_null(rule);
        if (!strstr(rule, broken[i].word))
            fail_msg("%u: %s", i, rule);
    }
}

static void an_nmi_waits_for_the_end_of_the_last_ones_handler(void **state)
{
    vmcs.field[VMCS_ENTRY_EVENT] = VEC_NMI | EVENT_NMI | EVENT_VALID;
    assert_null(vmx_check_entry(&guest));
    vmcs.field[VMCS_GUEST_INTERRUPTIBILITY] = SHADOW_NMI;
    assert_non_null(vmx_check_entry(&guest));
}

static void a_vpid_has_one_user_until_all_are_given_again(void **state)
{
    assert_null(vmx_check_entry(&guest));
    assert_string_equal(vmx_check_entry(&other), "two vCPUs share a VPID");
    other.vpid_generation++;
    assert_null(vmx_check_entry(&other));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(an_entry_as_it_should_be_passes),
        T(each_rule_of_an_entry_is_noticed),
        T(an_nmi_waits_for_the_end_of_the_last_ones_handler),
        T(a_vpid_has_one_user_until_all_are_given_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
