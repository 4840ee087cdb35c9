/* SPDX-License-Identifier: MIT */
/* What follows an instruction that the kernel executed for a guest: the manual's table, row by row, on both paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cpu.h>
#include "../../kernel/arch/x86/amdv/event.h"
#include "../../kernel/arch/x86/amdv/exit.h"

#define TF       0x100u
#define IF       0x200u
#define RF       0x10000u
#define BS       0x4000u
#define LONG     0x200u
#define BIG      0x400u
#define DB_EVENT (1u << 31 | 3u << 8 | 1)

struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub);
u64 host_cr4;
struct cpu *host_this_cpu;
bool host_irq_on;
u32 amdv_clean_all = CLEAN_ALL;
u64 vcpu_xcr0_supported(void) { return 7; }
void amdv_take_debug(struct hal_vcpu *h) {}

static struct vmcb vmcb;
static struct hal_vcpu v;
static unsigned fast, measured;

static bool fast_path(struct hal_vcpu *h, u64 code)
{
    fast++;
    vcpu_advance(h, 2);
    return true;
}

static void measure(struct hal_vcpu *h, unsigned length)
{
    measured++;
    h->vmcb->next_rip = 0;
}

static int setup(void **state)
{
    memset(&vmcb, 0, sizeof(vmcb));
    memset(&v, 0, sizeof(v));
    vmcb.efer = EFER_LMA;
    vmcb.cs.attributes = LONG;
    vmcb.rip = 0x1000;
    vmcb.rflags = 2;
    vmcb.dr6 = 0xffff0ff0;
    vmcb.clean = ~0u;
    v.vmcb = &vmcb;
    v.fast = fast_path;
    v.measure = measure;
    for (unsigned i = 0; i < ARRAY_SIZE(v.plain); i++)
        v.plain[i].at = (const u8 *)"";
    fast = measured = 0;
    return 0;
}

static void rip_has_the_width_of_its_segment(void **state)
{
    static const struct {
        u64 efer;
        u16 attributes;
        u64 rip, next;
    } rows[] = {
        { EFER_LMA, LONG, 0xfffffffe, 0x100000000 },
        { EFER_LMA, LONG, 0x00007ffffffffffe, 0x0000800000000000 },
        { EFER_LMA, LONG, ~0ul - 1, 0 },
        { EFER_LMA, BIG, 0xfffffffe, 0 },
        { EFER_LMA, BIG, 0xfffe, 0x10000 },
        { EFER_LMA, 0, 0xfffe, 0 },
        { 0, BIG, 0xfffffffe, 0 },
        { 0, BIG, 0xfffe, 0x10000 },
        { 0, 0, 0xfffe, 0 },
        { 0, 0, 0xfffd, 0xffff },
        { 0, LONG /* no bit of a legacy segment */, 0xfffe, 0 },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        vmcb.efer = rows[i].efer;
        vmcb.cs.attributes = rows[i].attributes;
        assert_true(guest_wrap(vmcb_cpu(&vmcb), rows[i].rip + 2) == rows[i].next);
    }
    vmcb.rip = 0xfffe;
    vmcb.next_rip = RIP_WRAPPED; /* from pc_measure() */
    vcpu_skip(&v, 2);
    assert_int_equal(vmcb.rip, 0);
}

static void the_hardwares_length_comes_first(void **state)
{
    vmcb.next_rip = 0x1005;
    vcpu_skip(&v, 2);
    assert_int_equal(vmcb.rip, 0x1005);
}

static void the_shadow_and_rf_end(void **state)
{
    vmcb.shadow = 1;
    vmcb.rflags = 2 | IF | RF;
    vcpu_skip(&v, 2);
    assert_int_equal(vmcb.shadow, 0);
    assert_int_equal(vmcb.rflags, 2 | IF);
    assert_int_equal(v.inject, 0);
    assert_true(vmcb.clean == ~0u && vmcb.dr6 == 0xffff0ff0);
}

static void tf_traps_behind_it(void **state)
{
    vmcb.rflags |= TF;
    vcpu_skip(&v, 2);
    assert_int_equal(vmcb.rip, 0x1002);
    assert_true(v.inject == DB_EVENT);
    assert_int_equal(vmcb.dr6, 0xffff0ff0 | BS);
    assert_int_equal(vmcb.clean, ~CLEAN_DR);
    assert_true(vmcb.rflags & TF); /* the processor clears it when it delivers the trap */
}

/* Every instruction that exits and is stepped over here (APM vol. 2, table 15-7). */
static void each_exit_that_is_handled_here_retires(void **state)
{
    static const u64 codes[] = { VMEXIT_INVD, VMEXIT_WBINVD, VMEXIT_XSETBV };
    for (unsigned i = 0; i < ARRAY_SIZE(codes); i++) {
        struct vcpu_exit e = { 0 };
        setup(NULL);
        vmcb.rflags = 2 | TF | RF;
        vmcb.rax = 1; /* of XCR0: x87 */
        vmcb.exit_code = codes[i];
        amdv_decode(&v, &vmcb, &e);
        assert_int_equal(e.reason, VCPU_EXIT_IRQ);
        assert_int_equal(vmcb.rip, 0x1000 + (codes[i] == VMEXIT_XSETBV ? 3 : 2));
        assert_true(v.inject == DB_EVENT && !(vmcb.rflags & RF));
    }
}

/* The trap comes by the VMRUN that follows, and with no other. */
static void the_fast_path_traps_at_its_own_entry(void **state)
{
    static const u8 opcode = 0x0f;
    static const struct {
        u64 code, next_rip;
        u8 cpl;
    } rows[] = { { VMEXIT_MSR, 0x1002, 0 }, { VMEXIT_MSR, 0, 0 }, { VMEXIT_CPUID, 0, 3 } };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned flags = 0; flags < 4; flags++) {
            setup(NULL);
            *plain_at(&v, 0x1000) = (struct vcpu_plain){ 0x1000, &opcode };
            vmcb.exit_code = rows[i].code;
            vmcb.next_rip = rows[i].next_rip;
            vmcb.cpl = rows[i].cpl;
            vmcb.rflags = 2 | (flags & 1 ? TF : 0) | (flags & 2 ? RF : 0);
            assert_true(amdv_fast(&v));
            if (vmcb.rflags & TRACED) /* amdv/entry.S */
                amdv_traced(&v);
            assert_int_equal(fast, 1);
            assert_int_equal(vmcb.rip, 0x1002);
            assert_int_equal(vmcb.rflags, 2 | (flags & 1 ? TF : 0));
            assert_true(vmcb.event_inject == (flags & 1 ? DB_EVENT : 0));
            assert_int_equal(vmcb.dr6 & BS, flags & 1 ? BS : 0);
            assert_int_equal(vmcb.clean & CLEAN_DR, flags & 1 ? 0 : CLEAN_DR);
            assert_int_equal(v.inject, 0);
        }
}

/* The step over an NMI handler's IRET: the guest gets the trap if it has set TF itself. */
static void a_traced_nmi_handler_keeps_its_trap(void **state)
{
    for (unsigned own = 0; own < 2; own++) {
        struct vcpu_exit e = { 0 };
        setup(NULL);
        v.nmi_masked = true;
        vmcb.rflags = 2 | (own ? TF : 0);
        vmcb.exit_code = VMEXIT_IRET;
        amdv_decode(&v, &vmcb, &e);
        assert_true(v.stepping && vmcb.rflags & TF);
        vmcb.dr6 |= BS; /* the processor has executed it */
        vmcb.rflags = 2;
        vmcb.exit_code = VMEXIT_EXCEPTION + VEC_DB;
        amdv_decode(&v, &vmcb, &e);
        assert_true(!v.stepping && !v.nmi_masked);
        assert_true(v.inject == (own ? DB_EVENT : 0));
        assert_int_equal(vmcb.dr6 & BS, own ? BS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rip_has_the_width_of_its_segment, setup),
        cmocka_unit_test_setup(the_hardwares_length_comes_first, setup),
        cmocka_unit_test_setup(the_shadow_and_rf_end, setup),
        cmocka_unit_test_setup(tf_traps_behind_it, setup),
        cmocka_unit_test_setup(each_exit_that_is_handled_here_retires, setup),
        cmocka_unit_test_setup(the_fast_path_traps_at_its_own_entry, setup),
        cmocka_unit_test_setup(a_traced_nmi_handler_keeps_its_trap, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
