/* SPDX-License-Identifier: MIT */
/* What a CPU keeps of what Linux' root has set on it when it becomes a core: nothing that lasts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"
#include "../../kernel/arch/x86/attach/msr.h"

#define HWCR      0xc0010015
#define MTRR_CAP  0xfe
#define MTRR_TYPE 0x2ff
#define PAIRS     8
#define CD        (1ul << 30)

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr;
struct cpu *host_this_cpu;
bool host_irq_on;

static struct {
    u32 msr;
    u64 value;
} msrs[128];
static unsigned n_msrs, changed_cached, written_back;
static unsigned long cr0;
static u32 reg[0x100];

unsigned long read_cr0(void) { return cr0; }
void write_cr0(unsigned long v) { cr0 = v; }
void wbinvd(void) { written_back++; }
u32 apic_read(enum apic_reg r) { return reg[r]; }
void apic_write(enum apic_reg r, u32 v) { reg[r] = v; }

static u64 *find(u32 msr)
{
    for (unsigned i = 0; i < n_msrs; i++)
        if (msrs[i].msr == msr)
            return &msrs[i].value;
    return NULL;
}

static bool is_type(u32 msr) { return msr >= 0x200 && msr < 0x270; }

bool msr_try(u32 msr, u64 *value, bool write)
{
    u64 *at = find(msr);
    if (!at)
        return false;
    if (write && is_type(msr) && (!(cr0 & CD) || *find(MTRR_TYPE) & 1u << 11))
        changed_cached++; /* with caches on, or types in force */
    if (write)
        *at = *value;
    else
        *value = *at;
    return true;
}

static void has(u32 msr, u64 value)
{
    msrs[n_msrs].msr = msr;
    msrs[n_msrs++].value = value;
}

static const u32 zeros[] = { 0x1d9,      0xc8f,      0xc0000301, 0xc0010000, 0xc0010003,
                             0xc0010200, 0xc001020a, 0xc0011030, 0xc0011033 };

static int setup(void **state)
{
    n_msrs = changed_cached = written_back = 0;
    cr0 = 0x80050033;
    memset(reg, 0, sizeof(reg));
    has(MTRR_CAP, 0x500 | PAIRS);
    has(MTRR_TYPE, 0xc00);
    has(0x250, 0x0606060606060606);
    has(0x26f, 0x0505050505050505);
    for (u32 i = 0; i < 2 * PAIRS; i++)
        has(0x200 + i, i);
    has(HWCR, 1ul << 24 | 1ul << 30);
    has(0xc0000104, 1ul << 32);
    for (unsigned i = 0; i < ARRAY_SIZE(zeros); i++)
        has(zeros[i], 0);
    core_reset_init();
    return 0;
}

static void what_counts_and_scales_is_reset(void **state)
{
    *find(0xc0000104) = 5;
    for (unsigned i = 0; i < ARRAY_SIZE(zeros); i++)
        *find(zeros[i]) = ~0ul;
    core_reset();
    assert_int_equal(*find(0xc0000104), 1ul << 32);
    for (unsigned i = 0; i < ARRAY_SIZE(zeros); i++)
        assert_int_equal(*find(zeros[i]), 0);
}

static void instructions_do_what_they_did_at_load(void **state)
{
    *find(HWCR) = 1ul << 24 | 1ul << 35 | 1ul << 9 | 1ul << 4; /* bit 4 is sealed: nobody has changed it */
    core_reset();
    assert_int_equal(*find(HWCR), 1ul << 24 | 1ul << 30 | 1ul << 4);
}

static void memory_types_are_those_of_load(void **state)
{
    core_reset();
    assert_int_equal(written_back, 0); /* they were */
    static const u32 types[] = { MTRR_TYPE, 0x250, 0x26f, 0x200, 0x201, 0x20f };
    for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
        u64 was = *find(types[i]);
        *find(types[i]) = was ^ 1;
        core_reset();
        assert_int_equal(*find(types[i]), was);
        assert_true(written_back == 2 * (i + 1) && cr0 == 0x80050033);
    }
    assert_int_equal(changed_cached, 0);
}

static void no_source_of_interrupts_stays(void **state)
{
    static const u8 lvt[] = { 0x33, 0x34, 0x36, 0x37 };
    for (unsigned i = 0; i < ARRAY_SIZE(lvt); i++)
        reg[lvt[i]] = 0x400; /* NMI */
    for (unsigned i = 0x50; i < 0x55; i++)
        reg[i] = 0x400;
    reg[0x41] = 5;
    reg[0x40] = 4u << 16;
    core_reset(); /* the version has no extended registers: they may be something else */
    assert_true(reg[0x41] == 5 && reg[0x50] == 0x400);
    reg[3] = 1u << 31;
    core_reset();
    for (unsigned i = 0; i < ARRAY_SIZE(lvt); i++)
        assert_int_equal(reg[lvt[i]], 1u << 16);
    for (unsigned i = 0x50; i < 0x54; i++)
        assert_int_equal(reg[i], 1u << 16);
    assert_int_equal(reg[0x54], 0x400);
    assert_int_equal(reg[0x41], 0); /* or vectors could be held off */
}

/* A detached Linux reads the kernel's own memory. */
static void a_core_leaves_nothing_on_its_stacks(void **state)
{
    static u8 stack[HAL_STACK_SIZE], exceptions[SX_STACK][PAGE_SIZE];
    struct linux_cpu l = { .core_stack = stack };
    memset(stack, 0x55, sizeof(stack));
    memset(exceptions, 0x55, sizeof(exceptions));
    for (unsigned i = 0; i < SX_STACK; i++)
        l.core.arch.tss.ist[i] = (u64)exceptions[i] + PAGE_SIZE;
    core_clean(&l);
    for (unsigned i = 0; i < sizeof(stack); i++)
        assert_int_equal(stack[i], 0);
    for (unsigned i = 0; i < sizeof(exceptions); i++)
        assert_int_equal(((u8 *)exceptions)[i], 0);
}

static void no_branch_is_guessed_by_the_other_side(void **state)
{
    static u8 stack[HAL_STACK_SIZE], exceptions[PAGE_SIZE];
    struct linux_cpu l = { .core_stack = stack };
    for (unsigned i = 0; i < SX_STACK; i++)
        l.core.arch.tss.ist[i] = (u64)exceptions + PAGE_SIZE;
    has(0x49, 0);
    core_reset();
    assert_int_equal(*find(0x49), 1);
    *find(0x49) = 0;
    core_clean(&l);
    assert_int_equal(*find(0x49), 1);
}

static void an_old_processor_has_less(void **state)
{
    n_msrs = 0;
    core_reset_init();
    core_reset();
    assert_int_equal(written_back, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_counts_and_scales_is_reset, setup),
        cmocka_unit_test_setup(instructions_do_what_they_did_at_load, setup),
        cmocka_unit_test_setup(memory_types_are_those_of_load, setup),
        cmocka_unit_test_setup(no_source_of_interrupts_stays, setup),
        cmocka_unit_test_setup(a_core_leaves_nothing_on_its_stacks, setup),
        cmocka_unit_test_setup(no_branch_is_guessed_by_the_other_side, setup),
        cmocka_unit_test_setup(an_old_processor_has_less, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
