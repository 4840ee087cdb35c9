/* SPDX-License-Identifier: MIT */
/* The I/O APIC by its data sheet: registers, edge, level, remote IRR, polarity, EOI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_vm.h"

#define BASE 0xfec00000u
static struct vm *vm = &fake_vms[0];

static u32 get(u8 reg)
{
    fake_store(vm, BASE, 4, reg);
    return fake_load(vm, BASE + 0x10, 4);
}

static void set(u8 reg, u32 v)
{
    fake_store(vm, BASE, 4, reg);
    fake_store(vm, BASE + 0x10, 4, v);
}

static int setup(void **state)
{
    fake_init();
    assert_int_equal(ioapic_create(vm), 0);
    return 0;
}

static void identifies_itself(void **state)
{
    assert_int_equal(get(1), 0x002f0020);
    assert_int_equal(get(0), 0xf0000000);
    set(0, 0x0f345678);
    assert_int_equal(get(0), 0x0f000000);
    assert_int_equal(get(2), 0x0f000000);
    for (int i = 0; i < 48; i++)
        assert_int_equal(get(0x10 + 2 * i), 0x10000); /* masked */
    assert_int_equal(get(0x70), 0);
    assert_int_equal(get(0xff), 0);
    set(0xff, -1);
    set(0x70, -1);
}

static void an_edge_sends_one_message(void **state)
{
    set(0x10 + 2 * 4, 0x00000831);
    set(0x11 + 2 * 4, 0x05000000);
    ioapic_line(vm, 4, true);
    ioapic_line(vm, 4, true);
    assert_int_equal(vm->messages, 1);
    assert_int_equal(vm->message.dest, 5);
    assert_int_equal(vm->message.vector, 0x31);
    assert_int_equal(vm->message.mode, 0);
    assert_true(vm->message.logical);
    assert_false(vm->message.level);
    ioapic_line(vm, 4, false);
    ioapic_line(vm, 4, true);
    assert_int_equal(vm->messages, 2);
}

static void delivery_mode_is_passed_on(void **state)
{
    set(0x10 + 2 * 7, 0x131);
    ioapic_line(vm, 7, true);
    assert_int_equal(vm->message.mode, 1);
    assert_false(vm->message.logical);
}

static void an_edge_while_masked_is_lost(void **state)
{
    ioapic_line(vm, 3, true);
    set(0x16, 0x33);
    assert_int_equal(vm->messages, 0);
}

static void a_level_waits_for_its_end(void **state)
{
    set(0x10 + 2 * 20, 0x8040);
    ioapic_line(vm, 20, true);
    assert_int_equal(vm->messages, 1);
    assert_true(vm->message.level);
    assert_int_equal(get(0x10 + 2 * 20), 0xc040); /* remote IRR */
    ioapic_line(vm, 20, false);
    ioapic_line(vm, 20, true);
    assert_int_equal(vm->messages, 1);
    ioapic_eoi(vm, 0x41);
    assert_int_equal(vm->messages, 1);
    ioapic_eoi(vm, 0x40);
    assert_int_equal(vm->messages, 2); /* still asserted: again */
    ioapic_line(vm, 20, false);
    ioapic_eoi(vm, 0x40);
    assert_int_equal(vm->messages, 2);
    assert_int_equal(get(0x10 + 2 * 20), 0x8040);
}

static void a_level_is_seen_when_unmasked(void **state)
{
    ioapic_line(vm, 21, true);
    set(0x10 + 2 * 21, 0x18041);
    assert_int_equal(vm->messages, 0);
    set(0x10 + 2 * 21, 0x8041);
    assert_int_equal(vm->messages, 1);
}

static void the_eoi_register_ends_too(void **state)
{
    set(0x10 + 2 * 47, 0x8042);
    ioapic_line(vm, 47, true);
    fake_store(vm, BASE + 0x40, 4, 0x42);
    ioapic_sample(vm);
    assert_int_equal(vm->messages, 2);
}

/* One writes the register; before it has sampled its inputs, another vCPU has taken one of them again and ends it. */
static void an_end_beside_another_end_is_not_lost(void **state)
{
    for (unsigned i = 20; i < 23; i++) {
        set(0x10 + 2 * i, 0x8040);
        ioapic_line(vm, i, true);
    }
    fake_store(vm, BASE + 0x40, 4, 0x40);
    ioapic_line(vm, 20, true);
    assert_int_equal(vm->messages, 4);
    ioapic_line(vm, 20, false);
    ioapic_eoi(vm, 0x40);
    ioapic_sample(vm);
    assert_int_equal(vm->messages, 6);
    assert_int_equal(get(0x10 + 2 * 20), 0x8040);
    assert_int_equal(get(0x10 + 2 * 21), 0xc040);
    assert_int_equal(get(0x10 + 2 * 22), 0xc040);
}

static void read_only_bits_stay(void **state)
{
    set(0x10, 0xffffffff);
    assert_int_equal(get(0x10), 0x0001afff);
}

static void to_edge_and_back_clears_remote_irr(void **state)
{
    set(0x10 + 2 * 20, 0x8040);
    ioapic_line(vm, 20, true);
    set(0x10 + 2 * 20, 0x10040);
    assert_int_equal(get(0x10 + 2 * 20), 0x10040);
    set(0x10 + 2 * 20, 0x8040);
    assert_int_equal(vm->messages, 2);
}

static void low_active_inputs(void **state)
{
    set(0x10 + 2 * 5, 0x2035); /* edge, low */
    ioapic_line(vm, 5, true);
    assert_int_equal(vm->messages, 0);
    ioapic_line(vm, 5, false);
    assert_int_equal(vm->messages, 1);
    set(0x10 + 2 * 6, 0xa036); /* level, low: the idle line is active */
    assert_int_equal(vm->messages, 2);
}

static void inputs_that_do_not_exist_are_refused(void **state)
{
    ioapic_line(vm, 48, true);
    ioapic_line(vm, -1u, true);
    ioapic_eoi(vm, 0x1000);
    assert_int_equal(vm->messages, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(identifies_itself, setup),
        cmocka_unit_test_setup(an_edge_sends_one_message, setup),
        cmocka_unit_test_setup(delivery_mode_is_passed_on, setup),
        cmocka_unit_test_setup(an_edge_while_masked_is_lost, setup),
        cmocka_unit_test_setup(a_level_waits_for_its_end, setup),
        cmocka_unit_test_setup(a_level_is_seen_when_unmasked, setup),
        cmocka_unit_test_setup(the_eoi_register_ends_too, setup),
        cmocka_unit_test_setup(an_end_beside_another_end_is_not_lost, setup),
        cmocka_unit_test_setup(read_only_bits_stay, setup),
        cmocka_unit_test_setup(to_edge_and_back_clears_remote_irr, setup),
        cmocka_unit_test_setup(low_active_inputs, setup),
        cmocka_unit_test_setup(inputs_that_do_not_exist_are_refused, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
