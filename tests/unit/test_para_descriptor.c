/* SPDX-License-Identifier: MIT */
/* Descriptors of guests in ring 1: whatever a guest writes into its table, the processor gets code and data of ring 1
 * or 3 there and nothing else. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <string.h>
#include "para_ram.h"

#define TABLE    0x1000u
#define FLAT     0x00cf93000000ffffull /* data of ring 0 */
#define FLAT_ANY 0x00cff3000000ffffull /* of ring 3 */
#define CODE_ANY 0x00cffb000000ffffull

static struct para_state state;
static struct para_regs regs;
static struct hal_vcpu v = { .state = &state, .regs = &regs, .memory = &memory, .cr0 = 0x11 };

static int setup(void **unused)
{
    ram_begin();
    para_drop(&v, false);
    memset(&state, 0, sizeof(state));
    memset(&regs, 0, sizeof(regs));
    return 0;
}

static void put(unsigned index, u64 d) { memcpy(ram + TABLE + index * 8, &d, 8); }

static void a_descriptor_is_code_or_data_of_ring_1_or_3_or_nothing(void **unused)
{
    for (u32 access = 0; access < 256; access++) {
        u64 d = 0x00cf00000000ffffull | (u64)access << 40, c = descriptor_clean(d);
        bool segment = (access & 0x90) == 0x90;
        assert_int_equal(c != 0, segment);
        if (!segment)
            continue;
        u32 dpl = (u32)(c >> 45) & 3;
        assert_int_equal(dpl, (access >> 5 & 3) == 3 ? 3 : 1);
        assert_true(c >> 40 & 1);
        if (dpl == 1 && access & 8) { /* code: our stub must lie where it says */
            assert_true(c == 0x00cfbb000000ffffull && descriptor_clean(d | 0x1234ull << 16) == c);
            continue;
        }
        assert_true((c & ~(7ull << 44 | 1ull << 40)) == (d & ~(7ull << 44 | 1ull << 40))); /* base, limit, kind stay */
    }
}

static void a_table_is_copied_clean_and_only_as_far_as_its_limit(void **unused)
{
    for (unsigned i = 0; i < 40; i++)
        put(i, FLAT);
    put(3, 0x0000890000000067ull); /* a task state */
    state.gdt[32] = state.gdt[33] = 42;
    para_load_gdt(&v, TABLE, 8 * 10 - 1);
    assert_true(state.gdt[0] == 0 && state.gdt[3] == 0 && state.gdt[10] == 0);
    assert_true(state.gdt[9] == descriptor_clean(FLAT));
    para_load_gdt(&v, TABLE, 0xffff);
    assert_true(state.gdt[31] == descriptor_clean(FLAT));
    assert_true(state.gdt[32] == 42 && state.gdt[33] == 42);
    para_load_gdt(&v, RAM, 0xffff); /* no memory there */
    assert_true(state.gdt[9] == 0);
}

static void what_a_register_names_stays_until_another_comes(void **unused)
{
    put(2, FLAT);
    para_load_gdt(&v, TABLE, 0xff);
    regs.ds = 0x11;
    put(2, 0);
    para_load_gdt(&v, TABLE, 0xff);
    assert_true(state.gdt[2] == descriptor_clean(FLAT));
    put(2, FLAT_ANY);
    assert_true(para_reload(&v, 0x10));
    assert_false(para_reload(&v, 0x10));
    assert_false(para_reload(&v, 0x14));  /* a local table */
    assert_false(para_reload(&v, 0x100)); /* ours */
    assert_true(state.gdt[2] == descriptor_clean(FLAT_ANY));
}

static void threads_get_data_of_ring_3_only(void **unused)
{
    const u64 three[] = { FLAT_ANY, FLAT, 0 };
    memcpy(ram + 0x2000, three, sizeof(three));
    regs.gs = 0x33;
    regs.fs = 0x3b;
    assert_int_equal(para_load_tls(&v, 0x2000), 0);
    assert_true(state.gdt[6] == descriptor_clean(FLAT_ANY) && !state.gdt[7] && !state.gdt[8]);
    assert_int_equal(regs.fs, 0);
    assert_int_equal(para_load_tls(&v, RAM - 8), -EFAULT);
    assert_true(state.gdt[6] == descriptor_clean(FLAT_ANY));
}

static void only_code_and_stack_of_ring_3_are_returned_to(void **unused)
{
    state.gdt[14] = CODE_ANY;
    state.gdt[15] = FLAT_ANY;
    state.gdt[32] = CODE_ANY;
    assert_true(para_loadable(&v, 0x73, 0x7b));
    assert_false(para_loadable(&v, 0x72, 0x7b));
    assert_false(para_loadable(&v, 0x7b, 0x7b)); /* data */
    assert_false(para_loadable(&v, 0x73, 0x73)); /* code */
    assert_false(para_loadable(&v, 0x77, 0x7b)); /* a local table */
    assert_false(para_loadable(&v, 0x103, 0x7b));
    state.gdt[15] &= ~(2ull << 40); /* read-only */
    assert_false(para_loadable(&v, 0x73, 0x7b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_is_code_or_data_of_ring_1_or_3_or_nothing),
        cmocka_unit_test_setup_teardown(a_table_is_copied_clean_and_only_as_far_as_its_limit, setup, ram_end),
        cmocka_unit_test_setup_teardown(what_a_register_names_stays_until_another_comes, setup, ram_end),
        cmocka_unit_test_setup_teardown(threads_get_data_of_ring_3_only, setup, ram_end),
        cmocka_unit_test_setup_teardown(only_code_and_stack_of_ring_3_are_returned_to, setup, ram_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
