/* SPDX-License-Identifier: MIT */
/* The checked mode: each rule of APM vol. 2, 15.5.1, and of our own discipline, broken once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/vcpu.h>

u32 amdv_features = AMDV_CLEAN, amdv_asids = 16;
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
bool amdv_fast(struct hal_vcpu *v) { return true; }

static struct vmcb vmcb[2];
static struct hal_vcpu cpu[2] = { { .vmcb = &vmcb[0] }, { .vmcb = &vmcb[1] } };

static void good(struct vmcb *b, u32 asid)
{
    memset(b, 0, sizeof(*b));
    b->intercept1 =
        INT1_INTR | INT1_NMI | INT1_INIT | INT1_CPUID | INT1_INVD | INT1_HLT | INT1_IOIO | INT1_MSR | INT1_SHUTDOWN;
    b->intercept2 = 0x27f;
    b->iopm = 0x10000;
    b->msrpm = 0x20000;
    b->ncr3 = 0x30000;
    b->np_enable = 1;
    b->asid = asid;
    b->vintr = VINTR_MASKING;
    b->efer = EFER_SVME;
    b->cr0 = 0x10;
    b->pat = 0x0007040600070406;
}

static const char *rule(const struct vmcb *b) { return amdv_broken_rule(b, amdv_features, 16, 1ul << 40); }

#define BREAKS(change)                                                                                                 \
    do {                                                                                                               \
        struct vmcb b;                                                                                                 \
        good(&b, 1);                                                                                                   \
        assert_null(rule(&b));                                                                                         \
        change;                                                                                                        \
        assert_non_null(rule(&b));                                                                                     \
    } while (0)

static void each_rule_is_noticed(void **state)
{
    BREAKS(b.efer = 0);
    BREAKS(b.cr0 |= 1ul << 29);
    BREAKS(b.cr0 |= 1ul << 32);
    BREAKS(b.dr6 = 1ul << 33);
    BREAKS(b.dr7 = 1ul << 63);
    BREAKS(b.cr4 = 1ul << 40);
    BREAKS(b.efer |= 1ul << 1);
    BREAKS((b.efer |= EFER_LME, b.cr0 |= 1ul << 31 | 1));             /* no PAE */
    BREAKS((b.efer |= EFER_LME, b.cr0 |= 1ul << 31, b.cr4 = 1 << 5)); /* no PE */
    BREAKS(
        (b.efer |= EFER_LME, b.cr0 |= 1ul << 31 | 1, b.cr4 = 1 << 5, b.cs.attributes = 1 << 9 | 1 << 10)); /* L and D */
    BREAKS(b.intercept2 &= ~INT2_VMRUN);
    BREAKS(b.intercept1 &= ~INT1_IOIO);
    BREAKS(b.intercept1 &= ~INT1_INTR);
    BREAKS(b.asid = 0);
    BREAKS(b.asid = 16);
    BREAKS(b.iopm = 1ul << 40);
    BREAKS(b.msrpm += 8);
    BREAKS(b.ncr3 = 1ul << 41);
    BREAKS(b.np_enable = 0);
    BREAKS(b.pat = 2);
    BREAKS(b.vintr = 0);
    BREAKS(b.tlb_control = TLB_FLUSH_GUEST); /* not on a part without it */
    BREAKS(b.event_inject = EVENT_VALID | 5u << 8);
    BREAKS(b.event_inject = EVENT_VALID | EVENT_EXCEPTION | 2);
}

static void clean_bits_must_not_lie(void **state)
{
    good(&vmcb[0], 1);
    cpu[0].core = 1;
    vmcb[0].tlb_control = TLB_FLUSH_ALL;
    assert_null(amdv_check_entry(&cpu[0]));
    vmcb[0].tlb_control = 0;
    assert_true(amdv_on_exit(&cpu[0]));
    vmcb[0].clean = CLEAN_ALL;
    assert_null(amdv_check_entry(&cpu[0]));
    vmcb[0].rip = 7; /* never cached */
    vmcb[0].cr3 = 0x5000;
    assert_non_null(amdv_check_entry(&cpu[0]));
    vcpu_dirty(&cpu[0], CLEAN_CR);
    assert_null(amdv_check_entry(&cpu[0]));
    vcpu_offer_irq(&cpu[0], 0x51); /* drops its bit itself */
    assert_null(amdv_check_entry(&cpu[0]));
    vmcb[0].clean |= CLEAN_VINTR;
    assert_non_null(amdv_check_entry(&cpu[0]));
}

static void an_asid_has_one_owner(void **state)
{
    good(&vmcb[0], 3);
    good(&vmcb[1], 3);
    cpu[0].core = cpu[1].core = 2;
    vmcb[0].tlb_control = TLB_FLUSH_ALL;
    assert_null(amdv_check_entry(&cpu[0]));
    assert_non_null(amdv_check_entry(&cpu[1]));
    vmcb[1].tlb_control = TLB_FLUSH_ALL;
    assert_null(amdv_check_entry(&cpu[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_is_noticed),
        cmocka_unit_test(clean_bits_must_not_lie),
        cmocka_unit_test(an_asid_has_one_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
