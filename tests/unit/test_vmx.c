/* SPDX-License-Identifier: MIT */
/* What VT-x needs of a processor, on a model of its MSRs: each thing that is missing is named, and no MSR is read that
 * it does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/features.h>
#include <arch/vmcs.h>
#include <arch/vmx.h>

#define ALL (0xfffffffful << 32)

/* A processor: the MSRs that it has are those that are set. */
static struct {
    bool vmx, amdv;
    u32 rdpid, rdtscp; /* the bits, where there are the leaves for them */
    u64 feature_control, basic, control[4], proc2, ept_vpid;
    bool has_true, has_proc2, has_ept_vpid;
} part;

static struct cpuid_regs part_cpuid(u32 leaf, u32 sub)
{
    (void)sub;
    if (leaf == 0x80000000)
        return (struct cpuid_regs){ .eax = part.amdv || part.rdtscp ? 0x8000000a : 0x80000000 };
    if (leaf == 0x80000001) {
        assert_true(part.amdv || part.rdtscp); /* without it, an Intel answers with its last basic leaf */
        return (struct cpuid_regs){ .ecx = part.amdv ? X86_FEATURE_SVM : 0, .edx = part.rdtscp };
    }
    if (leaf == 0)
        return (struct cpuid_regs){ .eax = part.rdpid ? 7 : 6 };
    if (leaf == 7) {
        assert_true(part.rdpid);
        return (struct cpuid_regs){ .ecx = part.rdpid };
    }
    return (struct cpuid_regs){ .ecx = leaf == 1 && part.vmx ? X86_FEATURE_VMX : 0 };
}
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = part_cpuid;
u64 host_cr4;

u64 host_rdmsr(u32 msr)
{
    assert_true(part.vmx); /* else #GP */
    switch (msr) {
    case MSR_FEATURE_CONTROL: return part.feature_control;
    case MSR_VMX_BASIC: return part.basic;
    case MSR_VMX_PROCBASED2: assert_true(part.has_proc2); return part.proc2;
    case MSR_VMX_EPT_VPID_CAP: assert_true(part.has_ept_vpid); return part.ept_vpid;
    default:
        assert_in_range(msr, MSR_VMX_TRUE_PIN, MSR_VMX_TRUE_PIN + 3);
        assert_true(part.has_true);
        return part.control[msr - MSR_VMX_TRUE_PIN];
    }
}

/* One that has everything. */
static void whole(void)
{
    memset(&part, 0, sizeof(part));
    part.vmx = part.has_true = part.has_proc2 = part.has_ept_vpid = true;
    part.feature_control = FEATURE_CONTROL_LOCKED | FEATURE_CONTROL_VMX;
    part.basic = VMX_BASIC_TRUE | (u64)VMX_MEMORY_WRITE_BACK << 50 | 0x12;
    for (unsigned i = 0; i < 4; i++)
        part.control[i] = ALL | 0x16;
    part.proc2 = ALL;
    part.ept_vpid = ~0ul;
}

static const char *refusal(const char **missing)
{
    struct vmx_capability c;
    vmx_read_capability(&c);
    return vmx_refusal(&c, missing);
}

static void refused(const char *why, const char *what)
{
    const char *missing, *said = refusal(&missing);
    assert_non_null(said);
    assert_string_equal(said, why);
    if (what)
        assert_string_equal(missing, what);
    else
        assert_null(missing);
}

static void a_processor_that_has_everything_is_not_refused(void **state)
{
    const char *missing;
    whole();
    assert_null(refusal(&missing));
    assert_null(missing);
    part.feature_control = 0; /* not locked: the kernel may switch it on */
    assert_null(refusal(&missing));
}

static void what_the_firmware_or_an_old_part_forbids_is_said(void **state)
{
    whole();
    part.feature_control = FEATURE_CONTROL_LOCKED;
    refused("VT-x is switched off by the firmware (FEATURE_CONTROL is locked)", 0);
    whole();
    part.vmx = false; /* and no MSR of VMX is read */
    refused("this processor has no VT-x", 0);
    part.amdv = true;
    refused("this processor has AMD-V and no VT-x: it needs the kernel of the shape pc", 0);
    whole();
    part.basic &= ~VMX_BASIC_TRUE;
    part.has_true = false;
    refused("VT-x is of the first generation", 0);
    whole();
    part.basic &= ~(15ul << 50); /* uncached VMCSs */
    refused("VT-x is of the first generation", 0);
}

static void msrs_that_controls_announce_are_read_with_these_only(void **state)
{
    whole();
    part.control[VMX_PROC] &= ~(1ul << 63);
    part.has_proc2 = part.has_ept_vpid = false;
    refused("VT-x is without", "secondary controls");
    whole();
    part.proc2 &= ~(1ul << 33 | 1ul << 37); /* neither EPT nor VPID */
    part.has_ept_vpid = false;
    refused("VT-x is without", "EPT");
}

/* Each bit of a capability that is taken away alone is named, or nothing is; the named ones are all of `want`. */
static unsigned named(u64 *msr, const char *const *want, unsigned wanted)
{
    unsigned found = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *missing;
        whole();
        *msr &= ~(1ul << bit);
        if (!refusal(&missing))
            continue;
        assert_true(found < wanted);
        assert_string_equal(missing, want[found++]);
    }
    return found;
}
#define NAMES(msr, ...)                                                                                                \
    do {                                                                                                               \
        static const char *const want[] = { __VA_ARGS__ };                                                             \
        assert_int_equal(named(&(msr), want, ARRAY_SIZE(want)), ARRAY_SIZE(want));                                     \
    } while (0)

static void each_thing_that_is_missing_alone_is_named(void **state)
{
    NAMES(part.control[VMX_PIN], "exits by interrupts", "exits by NMIs", "virtual NMIs");
    NAMES(part.control[VMX_PROC], "interrupt windows", "exits by HLT", "a TPR shadow", "NMI windows", "exits by ports",
          "maps of MSRs", "secondary controls");
    NAMES(part.control[VMX_EXIT], "a host of 64 bits", "PAT saved at exits", "PAT loaded at exits",
          "EFER saved at exits", "EFER loaded at exits");
    NAMES(part.control[VMX_ENTRY], "guests of 64 bits", "PAT loaded at entries", "EFER loaded at entries");
    NAMES(part.proc2, "EPT", "VPID", "unrestricted guest");
    NAMES(part.ept_vpid, "EPT of four levels", "EPT in cached memory", "EPT with pages of 2 MiB", "INVEPT",
          "INVEPT of one context", "INVVPID", "INVVPID of one context");
}

/* INVPCID by one control, RDTSCP and RDPID by another. */
static void instructions_that_no_control_permits_are_hidden_from_guests(void **state)
{
    struct vmx_capability c;
    for (unsigned has = 0; has < 4; has++) {
        u32 ebx = ~0u, ecx = ~0u, extended = ~0u, invpcid = has & 1, rdtscp = has >> 1;
        whole();
        part.proc2 &= ~(u64)(VMX_PROC2_INVPCID | VMX_PROC2_RDTSCP) << 32 | 0xffffffff;
        part.proc2 |= (u64)((invpcid ? VMX_PROC2_INVPCID : 0) | (rdtscp ? VMX_PROC2_RDTSCP : 0)) << 32;
        vmx_read_capability(&c);
        vmx_hide_features(&c, &ebx, &ecx, &extended);
        assert_int_equal(ebx, invpcid ? ~0u : ~X86_FEATURE_INVPCID);
        assert_int_equal(ecx, rdtscp ? ~0u : ~X86_FEATURE_RDPID);
        assert_int_equal(extended, rdtscp ? ~0u : ~X86_FEATURE_RDTSCP);
    }
}

static void tsc_aux_is_there_with_an_instruction_that_reads_it(void **state)
{
    for (unsigned has = 0; has < 4; has++) {
        struct vmx_capability c;
        whole();
        part.rdpid = has & 1 ? X86_FEATURE_RDPID : 0;
        part.rdtscp = has >> 1 ? X86_FEATURE_RDTSCP : 0;
        vmx_read_capability(&c);
        assert_int_equal(c.tsc_aux, has != 0);
        assert_false(c.amdv);
    }
}

static void a_control_has_what_is_wanted_and_what_must_be(void **state)
{
    assert_int_equal(vmx_control(ALL | 0x16, 0x80), 0x96);
}

#define ENTRY(name, width, kind, number) { #name, VMCS_##name, VMCS_##width, VMCS_##kind },
static const struct {
    const char *name;
    u32 encoding;
    enum vmcs_width width;
    enum vmcs_kind kind;
} fields[] = { VMCS_FIELDS(ENTRY) };

/* By the names: a host's field is of the kind HOST, and so on. Two names never mean one field. */
static void each_field_is_what_its_name_says_and_no_two_are_one(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        assert_int_equal(vmcs_width(fields[i].encoding), fields[i].width);
        assert_int_equal(vmcs_kind(fields[i].encoding), fields[i].kind);
        assert_int_equal(fields[i].kind == VMCS_HOST, !strncmp(fields[i].name, "HOST_", 5));
        if (fields[i].kind == VMCS_EXIT_INFORMATION)
            assert_true(strncmp(fields[i].name, "ENTRY_", 6));
        for (unsigned j = 0; j < i; j++)
            assert_int_not_equal(fields[i].encoding, fields[j].encoding);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_processor_that_has_everything_is_not_refused),
        cmocka_unit_test(what_the_firmware_or_an_old_part_forbids_is_said),
        cmocka_unit_test(msrs_that_controls_announce_are_read_with_these_only),
        cmocka_unit_test(each_thing_that_is_missing_alone_is_named),
        cmocka_unit_test(instructions_that_no_control_permits_are_hidden_from_guests),
        cmocka_unit_test(tsc_aux_is_there_with_an_instruction_that_reads_it),
        cmocka_unit_test(a_control_has_what_is_wanted_and_what_must_be),
        cmocka_unit_test(each_field_is_what_its_name_says_and_no_two_are_one),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
