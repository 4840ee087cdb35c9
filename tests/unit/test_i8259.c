/* SPDX-License-Identifier: MIT */
/* The 8259 pair by its data sheet: initialisation, priorities, EOI, cascade, modes, ELCR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_vm.h"

static struct vm *vm = &fake_vms[0];

static void init_pair(u8 icw4)
{
    for (int i = 0; i < 2; i++) {
        u16 port = i ? 0xa0 : 0x20;
        fake_out(vm, port, 1, 0x11);
        fake_out(vm, port + 1, 1, i ? 0x28 : 0x20);
        fake_out(vm, port + 1, 1, i ? 2 : 4);
        fake_out(vm, port + 1, 1, icw4);
    }
}

static int setup(void **state)
{
    fake_init();
    assert_int_equal(pc_devices_create(vm), 0);
    init_pair(1);
    return 0;
}

static void pulse(unsigned irq)
{
    i8259_line(vm, irq, true);
    i8259_line(vm, irq, false);
}

static void masked_until_programmed(void **state)
{
    fake_reset_devices(vm);
    assert_int_equal(fake_in(vm, 0x21, 1), 0xff);
    pulse(3);
    assert_false(i8259_pending(vm));
    assert_int_equal(i8259_ack(vm), -1);
}

static void an_edge_gives_its_vector_once(void **state)
{
    pulse(4);
    assert_true(i8259_pending(vm));
    assert_int_equal(vm->extints, 1);
    assert_int_equal(i8259_ack(vm), 0x24);
    assert_false(i8259_pending(vm));
    i8259_line(vm, 4, true);
    assert_false(i8259_pending(vm)); /* in service */
    fake_out(vm, 0x20, 1, 0x20);
    assert_true(i8259_pending(vm));
}

static void the_mask_holds_a_request_back(void **state)
{
    fake_out(vm, 0x21, 1, 0x10);
    assert_int_equal(fake_in(vm, 0x21, 1), 0x10);
    pulse(4);
    assert_false(i8259_pending(vm));
    assert_int_equal(fake_in(vm, 0x20, 1), 0x10); /* IRR */
    fake_out(vm, 0x21, 1, 0);
    assert_int_equal(i8259_ack(vm), 0x24);
}

static void lower_inputs_are_more_urgent(void **state)
{
    pulse(5);
    pulse(1);
    assert_int_equal(i8259_ack(vm), 0x21);
    assert_int_equal(i8259_ack(vm), -1); /* 5 waits for 1's end */
    fake_out(vm, 0x20, 1, 0x0b);
    assert_int_equal(fake_in(vm, 0x20, 1), 0x02); /* ISR */
    fake_out(vm, 0x20, 1, 0x61);                  /* specific EOI 1 */
    assert_int_equal(i8259_ack(vm), 0x25);
    pulse(0);
    assert_int_equal(i8259_ack(vm), 0x20); /* nests over 5 */
}

static void the_slave_comes_through_the_cascade(void **state)
{
    pulse(12);
    assert_int_equal(i8259_ack(vm), 0x2c);
    fake_out(vm, 0xa0, 1, 0x0b);
    fake_out(vm, 0x20, 1, 0x0b);
    assert_int_equal(fake_in(vm, 0xa0, 1), 0x10);
    assert_int_equal(fake_in(vm, 0x20, 1), 0x04);
    pulse(9); /* more urgent, but the master's input 2 is in service */
    assert_false(i8259_pending(vm));
    fake_out(vm, 0xa0, 1, 0x20);
    fake_out(vm, 0x20, 1, 0x20);
    assert_int_equal(i8259_ack(vm), 0x29);
}

static void special_fully_nested_lets_the_slave_nest(void **state)
{
    init_pair(0x11);
    pulse(12);
    assert_int_equal(i8259_ack(vm), 0x2c);
    pulse(9);
    assert_int_equal(i8259_ack(vm), 0x29);
}

static void the_cascade_input_is_nobodys(void **state)
{
    pulse(2);
    i8259_line(vm, 16, true);
    assert_false(i8259_pending(vm));
}

static void automatic_eoi_and_rotation(void **state)
{
    init_pair(3);
    fake_out(vm, 0x20, 1, 0x80); /* rotate in automatic EOI */
    pulse(3);
    assert_int_equal(i8259_ack(vm), 0x23);
    pulse(3);
    pulse(4);
    assert_int_equal(i8259_ack(vm), 0x24); /* 3 became the least urgent */
    assert_int_equal(i8259_ack(vm), 0x23);
}

static void rotation_on_eoi_and_set_priority(void **state)
{
    fake_out(vm, 0x20, 1, 0xc4); /* 4 the least urgent, so 5 the most */
    pulse(0);
    pulse(5);
    assert_int_equal(i8259_ack(vm), 0x25);
    fake_out(vm, 0x20, 1, 0xa0); /* end and rotate: 5 least, 6 most urgent */
    pulse(5);
    pulse(6);
    assert_int_equal(i8259_ack(vm), 0x26);
}

static void special_mask_mode_admits_less_urgent_ones(void **state)
{
    pulse(1);
    assert_int_equal(i8259_ack(vm), 0x21);
    fake_out(vm, 0x21, 1, 2);
    fake_out(vm, 0x20, 1, 0x68);
    pulse(6);
    assert_int_equal(i8259_ack(vm), 0x26);
}

static void poll_acknowledges(void **state)
{
    fake_out(vm, 0x20, 1, 0x0c);
    assert_int_equal(fake_in(vm, 0x20, 1), 0);
    pulse(6);
    fake_out(vm, 0x20, 1, 0x0c);
    assert_int_equal(fake_in(vm, 0x20, 1), 0x86);
    assert_false(i8259_pending(vm));
}

static void a_level_stays_requested_while_it_lasts(void **state)
{
    fake_out(vm, 0x4d0, 1, 0xff);
    assert_int_equal(fake_in(vm, 0x4d0, 1), 0xf8); /* 0-2 are edges for ever */
    fake_out(vm, 0x4d1, 1, 0xff);
    assert_int_equal(fake_in(vm, 0x4d1, 1), 0xde);
    i8259_line(vm, 9, true);
    assert_int_equal(i8259_ack(vm), 0x29);
    fake_out(vm, 0xa0, 1, 0x20);
    fake_out(vm, 0x20, 1, 0x20);
    assert_int_equal(i8259_ack(vm), 0x29);
    i8259_line(vm, 9, false);
    fake_out(vm, 0xa0, 1, 0x20);
    fake_out(vm, 0x20, 1, 0x20);
    assert_int_equal(i8259_ack(vm), -1);
}

static void a_second_request_is_announced_after_the_first(void **state)
{
    init_pair(3);
    pulse(1);
    pulse(4);
    assert_int_equal(vm->extints, 1);
    assert_int_equal(i8259_ack(vm), 0x21);
    assert_int_equal(vm->extints, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(masked_until_programmed, setup),
        cmocka_unit_test_setup(an_edge_gives_its_vector_once, setup),
        cmocka_unit_test_setup(the_mask_holds_a_request_back, setup),
        cmocka_unit_test_setup(lower_inputs_are_more_urgent, setup),
        cmocka_unit_test_setup(the_slave_comes_through_the_cascade, setup),
        cmocka_unit_test_setup(special_fully_nested_lets_the_slave_nest, setup),
        cmocka_unit_test_setup(the_cascade_input_is_nobodys, setup),
        cmocka_unit_test_setup(automatic_eoi_and_rotation, setup),
        cmocka_unit_test_setup(rotation_on_eoi_and_set_priority, setup),
        cmocka_unit_test_setup(special_mask_mode_admits_less_urgent_ones, setup),
        cmocka_unit_test_setup(poll_acknowledges, setup),
        cmocka_unit_test_setup(a_level_stays_requested_while_it_lasts, setup),
        cmocka_unit_test_setup(a_second_request_is_announced_after_the_first, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
