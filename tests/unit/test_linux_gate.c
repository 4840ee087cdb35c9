/* SPDX-License-Identifier: MIT */
/* Whether a CPU of Linux may have the kernel beneath it: what the module looks at before, and again with interrupts off
 * where a CPU crosses. The emulated processor has none of what is refused here. */
#include "fake_registers.h"

#include "../../linux/amalgam/attach.c"
#include "../../linux/amalgam/gate.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define CR4_FRED (1ul << 32)

struct amalgam amalgam;
static struct attach_shared shared;
static struct attach_cpu page;
struct cpumask host_online;
static unsigned entered, left;

int why(int error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(amalgam.why, sizeof(amalgam.why), format, words);
    va_end(words);
    return error;
}
struct attach_cpu *cpu_page(unsigned int cpu) { return &page; }
long amalgam_enter(struct attach_cpu *p)
{
    assert_true(host_irqs_off);
    entered++;
    return 0;
}
long amalgam_leave(void)
{
    left++;
    return 0;
}

static int setup(void **state)
{
    memset(host_has, 0, sizeof(host_has));
    host_has[X86_FEATURE_SVM] = host_has[X86_FEATURE_NPT] = true;
    boot_cpu_data.x86_vendor = X86_VENDOR_AMD;
    memset(host_registers, 0, sizeof(host_registers));
    host_online.bits = 3;
    host_cr4 = KNOWN_CR4;
    host_encryption = 0;
    entered = left = 0;
    amalgam = (struct amalgam){ .state = AMALGAM_LOADED, .shared = &shared };
    return 0;
}

#define REFUSED(call, error, text)                                                                                     \
    do {                                                                                                               \
        assert_int_equal(call, error);                                                                                 \
        assert_non_null(strstr(amalgam.why, text));                                                                    \
    } while (0)

static void a_processor_that_nobody_uses_is_let_through(void **state)
{
    struct amalgam_switched took;
    assert_int_equal(gate_check(), 0);
    host_online.bits = 1;
    assert_int_equal(attach_all(&took), 0);
    assert_int_equal(entered, 1);
    assert_int_equal(amalgam.state, AMALGAM_ATTACHED);
}

static void what_cr4_switches_on_must_be_known(void **state)
{
    struct amalgam_switched took;
    for (unsigned bit = 0; bit < 64; bit++) {
        if (KNOWN_CR4 >> bit & 1)
            continue;
        host_cr4 = KNOWN_CR4 | 1ul << bit;
        REFUSED(gate_check(), -EOPNOTSUPP, "such as FRED");
        assert_int_equal(attach_this_cpu(), -EOPNOTSUPP);
    }
    host_cr4 = CR4_FRED;
    host_online.bits = 1;
    assert_int_equal(attach_all(&took), -EOPNOTSUPP);
    assert_int_equal(entered, 0);
}

static void a_host_of_sev_snp_is_refused(void **state)
{
    host_encryption = HAS_ENCRYPTION;
    assert_int_equal(gate_check(), 0);
    host_registers[1].syscfg = SYSCFG_SNP;
    REFUSED(gate_check(), -EOPNOTSUPP, "SEV-SNP is on");
}

static void memory_encryption_that_cpus_do_not_share_is_refused(void **state)
{
    host_encryption = HAS_ENCRYPTION;
    host_registers[0].syscfg = host_registers[1].syscfg = MSR_AMD64_SYSCFG_MEM_ENCRYPT; /* the kernel cuts its tables */
    assert_int_equal(gate_check(), 0);
    host_registers[1].syscfg = 0;
    REFUSED(gate_check(), -EOPNOTSUPP, "off on CPU 1");
}

static void a_processor_of_intel_is_told_from_one_without_virtualization(void **state)
{
    host_has[X86_FEATURE_SVM] = host_has[X86_FEATURE_NPT] = false;
    REFUSED(gate_check(), -EOPNOTSUPP, "this processor has no AMD-V, or its firmware hides it");
    boot_cpu_data.x86_vendor = X86_VENDOR_HYGON; /* which has AMD-V */
    REFUSED(gate_check(), -EOPNOTSUPP, "this processor has no AMD-V, or its firmware hides it");
    static const enum host_vendor makers[] = { X86_VENDOR_INTEL, X86_VENDOR_CENTAUR, X86_VENDOR_ZHAOXIN };
    for (unsigned i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        boot_cpu_data.x86_vendor = makers[i];
        host_has[X86_FEATURE_VMX] = false; /* the firmware forbids it: Linux has taken it from the features */
        REFUSED(gate_check(), -EOPNOTSUPP,
                "attach needs AMD-V; this maker has VT-x, off in the firmware or hidden by a hypervisor");
        host_has[X86_FEATURE_VMX] = true;
        REFUSED(gate_check(), -EOPNOTSUPP, "this processor has VT-x, and attach needs AMD-V");
    }
}

static void amd_v_that_is_in_use_or_disabled_is_refused(void **state)
{
    host_registers[1].efer = EFER_SVME;
    REFUSED(gate_check(), -EBUSY, "uses AMD-V on CPU 1");
    host_registers[1] = (struct host_registers){ .vm_cr = MSR_VM_CR_SVMDIS };
    REFUSED(gate_check(), -EOPNOTSUPP, "disabled AMD-V on CPU 1");
}

/* The gate has let it through; then a guest of KVM starts. */
static void kvm_that_begins_behind_the_gate_keeps_its_cpu(void **state)
{
    struct amalgam_switched took;
    assert_int_equal(gate_check(), 0);
    host_registers[0].efer = EFER_SVME;
    host_online.bits = 1;
    assert_int_equal(gate_here(), -EBUSY);
    REFUSED(attach_all(&took), -EBUSY, "cannot be attached: none is");
    assert_int_equal(attach_this_cpu(), -EBUSY);
    assert_int_equal(entered + left, 0);
    assert_int_equal(amalgam.state, AMALGAM_LOADED);
    assert_false(host_irqs_off);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_processor_that_nobody_uses_is_let_through),
        T(what_cr4_switches_on_must_be_known),
        T(a_host_of_sev_snp_is_refused),
        T(memory_encryption_that_cpus_do_not_share_is_refused),
        T(a_processor_of_intel_is_told_from_one_without_virtualization),
        T(amd_v_that_is_in_use_or_disabled_is_refused),
        T(kvm_that_begins_behind_the_gate_keeps_its_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
