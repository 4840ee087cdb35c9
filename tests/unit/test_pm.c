/* SPDX-License-Identifier: MIT */
/* ACPI fixed registers, resets, and PCI ports that answer nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_vm.h"

static struct vm *vm = &fake_vms[0];

static int setup(void **state)
{
    fake_init();
    return pc_devices_create(vm);
}

static void the_timer_runs_at_its_rate(void **state)
{
    u32 a = fake_in(vm, 0x608, 4);
    fake_advance(1000000000);
    assert_in_range((u32)fake_in(vm, 0x608, 4) - a, 3579544, 3579546);
    assert_int_equal(fake_in(vm, 0x60a, 2), fake_in(vm, 0x608, 4) >> 16);
    assert_int_equal(fake_in(vm, 0x604, 8) >> 32, fake_in(vm, 0x608, 4));
}

static void sleep_type_five_powers_off(void **state)
{
    fake_out(vm, 0x604, 2, 4 << 10 | 1 << 13);
    fake_out(vm, 0x604, 2, 5 << 10);
    assert_int_equal(vm->power_offs, 0);
    fake_out(vm, 0x604, 2, 5 << 10 | 1 << 13);
    assert_int_equal(vm->power_offs, 1);
    assert_int_equal(fake_in(vm, 0x604, 2), 1); /* SCI_EN: there is no legacy mode */
}

static void events_can_be_enabled_and_never_come(void **state)
{
    fake_out(vm, 0x602, 2, 0xffff);
    assert_int_equal(fake_in(vm, 0x602, 2), 0x520);
    assert_int_equal(fake_in(vm, 0x600, 2), 0);
    assert_false(vm->line[9]);
    fake_reset_devices(vm);
    assert_int_equal(fake_in(vm, 0x602, 2), 0);
}

static void resets(void **state)
{
    fake_out(vm, 0xcf9, 1, 2);
    assert_int_equal(vm->resets, 0);
    fake_out(vm, 0xcf9, 1, 6);
    assert_int_equal(vm->resets, 1);
    fake_out(vm, 0xcf9, 2, 0x0e); /* as a word, too */
    assert_int_equal(vm->resets, 2);
}

static void port_92h_has_a20_and_a_reset(void **state)
{
    assert_int_equal(fake_in(vm, 0x92, 1), 2);
    fake_out(vm, 0x92, 1, 2); /* opens A20: no reset */
    assert_int_equal(vm->resets, 0);
    assert_int_equal(fake_in(vm, 0x92, 1), 2);
    fake_out(vm, 0x92, 1, 3);
    assert_int_equal(vm->resets, 1);
}

/* Each of the commands that pulse bit 0 of the output port, and no other. */
static void the_keyboard_controller_pulses_the_reset_line(void **state)
{
    for (unsigned command = 0; command < 256; command++) {
        unsigned before = vm->resets;
        fake_out(vm, 0x64, 1, command);
        assert_int_equal(vm->resets - before, command >= 0xf0 && !(command & 1));
        assert_int_equal(fake_in(vm, 0x64, 1) & 2, 0); /* it takes the next one */
        fake_in(vm, 0x60, 1);
    }
    unsigned before = vm->resets;
    fake_out(vm, 0x64, 1, 0xd1); /* write the output port */
    fake_out(vm, 0x60, 1, 0xdf);
    fake_out(vm, 0x60, 1, 0xfe); /* for the keyboard that is not there */
    assert_int_equal(vm->resets, before);
    fake_out(vm, 0x64, 1, 0xd1);
    fake_out(vm, 0x60, 1, 0xfe);
    assert_int_equal(vm->resets, before + 1);
}

static void the_keyboard_controller_answers(void **state)
{
    static const u8 rows[][2] = { { 0xaa, 0x55 }, { 0xd0, 0xcf } };
    assert_int_equal(fake_in(vm, 0x64, 1), 0x14); /* nothing to be read; it has passed its test */
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        fake_out(vm, 0x64, 1, rows[i][0]);
        assert_int_equal(fake_in(vm, 0x64, 1), 0x15);
        assert_int_equal(fake_in(vm, 0x60, 1), rows[i][1]);
        assert_int_equal(fake_in(vm, 0x64, 1), 0x14);
    }
    assert_int_equal(vm->resets, 0);
}

static u32 config(u32 address, u16 port, unsigned size)
{
    fake_out(vm, 0xcf8, 4, address);
    return fake_in(vm, port, size);
}

static void a_host_bridge_is_all_of_pci(void **state)
{
    fake_out(vm, 0xcf8, 4, 0x80000604); /* not a reset, whatever its bytes say */
    assert_int_equal(vm->resets, 0);
    assert_int_equal(fake_in(vm, 0xcf8, 4), 0x80000604);
    assert_int_equal(fake_in(vm, 0xcf8, 1), 0xff); /* in one piece only */
    assert_int_equal(fake_in(vm, 0xcf9, 4), 0xffffffff);
    assert_int_equal(fake_in(vm, 0xcfc, 4), 0xffffffff);
    assert_int_equal(config(0x80000000, 0xcfc, 4), 0x00081b36);
    assert_int_equal(config(0x80000008, 0xcfe, 2), 0x0600);
    assert_int_equal(config(0x80000008, 0xcff, 1), 0x06);
    assert_int_equal(config(0x8000003c, 0xcfc, 4), 0);
    assert_int_equal(config(0x00000000, 0xcfc, 4), 0xffffffff); /* not enabled */
    assert_int_equal(config(0x80010000, 0xcfc, 4), 0xffffffff); /* another bus */
    assert_int_equal(config(0x80000800, 0xcfc, 2), 0xffff);     /* another device */
    fake_out(vm, 0xcfc, 4, 0);
    assert_int_equal(config(0x80000000, 0xcfc, 4), 0x00081b36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_timer_runs_at_its_rate, setup),
        cmocka_unit_test_setup(sleep_type_five_powers_off, setup),
        cmocka_unit_test_setup(events_can_be_enabled_and_never_come, setup),
        cmocka_unit_test_setup(resets, setup),
        cmocka_unit_test_setup(port_92h_has_a20_and_a_reset, setup),
        cmocka_unit_test_setup(the_keyboard_controller_pulses_the_reset_line, setup),
        cmocka_unit_test_setup(the_keyboard_controller_answers, setup),
        cmocka_unit_test_setup(a_host_bridge_is_all_of_pci, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
