/* SPDX-License-Identifier: MIT */
/* INIT is not RESET: the manual's table of what each sets (APM vol. 2, 14.1.3), row by row, over a vCPU whose every
 * register is dirty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/vcpu.h>

#define DIRTY     0x5a5a5a5a5a5a5a5aul
#define SIGNATURE 0x00800f12u
#define STAYS     DIRTY

u64 host_cr4, host_dr[4], host_dr6;
void (*host_reading_dr)(void);
static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ .eax = leaf == 1 ? SIGNATURE : 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
static unsigned flushes;
void vcpu_flush(struct hal_vcpu *v) { flushes++; }

static struct vmcb b;
static struct hal_vcpu v;

static void make_dirty(void)
{
    memset(&b, 0x5a, sizeof(b));
    memset(&v, 0, sizeof(v));
    v.vmcb = &b;
    memset(v.regs, 0x5a, sizeof(v.regs));
    memset(v.dr, 0x5a, sizeof(v.dr));
    v.tsc_aux = (u32)DIRTY;
    v.inject = DIRTY;
    v.nmi_masked = v.stepping = true;
    flushes = 0;
}

#define ROW(field, reset, init)                                                                                        \
    {                                                                                                                  \
#field, &b.field, sizeof(b.field), reset, init                                                                 \
    }
static const struct {
    const char *name;
    const void *at;
    size_t size;
    u64 reset, init;
} rows[] = {
    ROW(cr2, 0, 0),
    ROW(cr3, 0, 0),
    ROW(cr4, 0, 0),
    ROW(dr6, 0xffff0ff0, 0xffff0ff0),
    ROW(dr7, 0x400, 0x400),
    ROW(efer, EFER_SVME, EFER_SVME), /* 0 for the guest */
    ROW(rflags, 2, 2),
    ROW(rip, 0xfff0, 0xfff0),
    ROW(rax, 0, 0),
    ROW(rsp, 0, 0),
    ROW(cpl, 0, 0),
    ROW(shadow, 0, 0),
    ROW(cs.selector, 0xf000, 0xf000),
    ROW(cs.base, 0xffff0000, 0xffff0000),
    ROW(cs.limit, 0xffff, 0xffff),
    ROW(ds.selector, 0, 0),
    ROW(ds.base, 0, 0),
    ROW(ds.limit, 0xffff, 0xffff),
    ROW(ss.selector, 0, 0),
    ROW(fs.base, 0, 0),
    ROW(gs.base, 0, 0),
    ROW(gdtr.base, 0, 0),
    ROW(gdtr.limit, 0xffff, 0xffff),
    ROW(idtr.base, 0, 0),
    ROW(idtr.limit, 0xffff, 0xffff),
    ROW(ldtr.selector, 0, 0),
    ROW(tr.selector, 0, 0),
    /* MSRs: INIT leaves them */
    ROW(star, 0, STAYS),
    ROW(lstar, 0, STAYS),
    ROW(cstar, 0, STAYS),
    ROW(sfmask, 0, STAYS),
    ROW(kernel_gs_base, 0, STAYS),
    ROW(sysenter_cs, 0, STAYS),
    ROW(sysenter_esp, 0, STAYS),
    ROW(sysenter_eip, 0, STAYS),
    ROW(pat, 0x0007040600070406, STAYS),
};

static void compare(bool init)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        u64 is = 0, want = init ? rows[i].init : rows[i].reset;
        memcpy(&is, rows[i].at, rows[i].size);
        if (is != want) {
            print_error("%s: %llx after %s, not %llx\n", rows[i].name, (unsigned long long)is, init ? "INIT" : "RESET",
                        (unsigned long long)want);
            fail();
        }
    }
    for (unsigned r = 0; r < 16; r++)
        assert_true(r == RAX || r == RSP || v.regs[r] == (r == RDX ? SIGNATURE : 0));
    for (unsigned r = 0; r < 4; r++)
        assert_true(v.dr[r] == 0);
    assert_int_equal(v.tsc_aux, init ? (u32)DIRTY : 0);
    assert_true(!v.inject && !v.nmi_masked && !v.stepping);
    assert_true(b.intercept_dr == ~0u && flushes == 1);
    assert_int_equal(b.vintr, VINTR_MASKING);
}

static void reset_sets_every_register(void **state)
{
    make_dirty();
    vcpu_reset(&v);
    compare(false);
    assert_int_equal(b.cr0, 0x10);
}

static void init_leaves_what_the_manual_says(void **state)
{
    make_dirty();
    vcpu_init(&v);
    compare(true);
}

/* CD and NW stay, ET is set, the rest is cleared. */
static void init_leaves_the_caches_as_they_are(void **state)
{
    static const u64 rows_of_cr0[][2] = {
        { 0x80050033, 0x10 }, { 0xc0050033, 0x40000010 }, { 0xe0050033, 0x60000010 }, { 0x60000010, 0x60000010 }
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows_of_cr0); i++) {
        make_dirty();
        b.cr0 = rows_of_cr0[i][0];
        vcpu_init(&v);
        assert_true(b.cr0 == rows_of_cr0[i][1]);
    }
}

static void a_startup_begins_at_its_page(void **state)
{
    make_dirty();
    vcpu_init(&v);
    vcpu_sipi(&v, 0x9a);
    assert_int_equal(b.cs.selector, 0x9a00);
    assert_int_equal(b.cs.base, 0x9a000);
    assert_int_equal(b.rip, 0);
    assert_true(b.pat == STAYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset_sets_every_register),
        cmocka_unit_test(init_leaves_what_the_manual_says),
        cmocka_unit_test(init_leaves_the_caches_as_they_are),
        cmocka_unit_test(a_startup_begins_at_its_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
