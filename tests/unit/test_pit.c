/* SPDX-License-Identifier: MIT */
/* The 8254 by its data sheet, port 61h, and the promise that it costs nothing that nobody asked for. */
#include "pit_test.h"

static u16 counter(unsigned ch)
{
    fake_out(vm, 0x43, 1, ch << 6);
    u16 low = fake_in(vm, 0x40 + ch, 1);
    return low | fake_in(vm, 0x40 + ch, 1) << 8;
}

static void nobody_listens_nothing_is_armed(void **state)
{
    program(0, 2, 11932);
    assert_int_equal(fake_timers_armed, 0);
    fake_advance(1000000000);
    assert_int_equal(vm->messages, 0);
}

static void rate_generator_interrupts_each_period(void **state)
{
    unmask();
    program(0, 2, 11932); /* 10 ms */
    fake_advance(1005000000);
    assert_in_range(vm->messages, 99, 101);
    assert_int_equal(vm->message.vector, 0x30);
}

static void square_wave_interrupts_each_period(void **state)
{
    unmask();
    program(0, 3, 11932);
    fake_advance(1005000000);
    assert_in_range(vm->messages, 99, 101);
}

static void unmasking_wakes_and_masking_lets_sleep(void **state)
{
    program(0, 2, 11932);
    fake_advance(55000000);
    unmask();
    fake_advance(1);
    unsigned before = vm->messages;
    fake_advance(100000000);
    assert_in_range(vm->messages - before, 9, 11);
    fake_store(vm, 0xfec00010, 4, 0x10030);
    fake_advance(20000000);
    assert_int_equal(fake_timers(), 0);
    fake_out(vm, 0x20, 1, 0x11); /* the 8259's input 0, unmasked by its initialisation */
    fake_out(vm, 0x21, 1, 0x20);
    fake_out(vm, 0x21, 1, 4);
    fake_out(vm, 0x21, 1, 1);
    fake_advance(20000000);
    assert_int_equal(fake_timers(), 1);
    assert_int_equal(i8259_ack(vm), 0x20);
}

static void one_shot_interrupts_once_and_stays_high(void **state)
{
    unmask();
    program(0, 0, 1193);
    fake_advance(900000);
    assert_int_equal(vm->messages, 0);
    fake_advance(200000);
    assert_int_equal(vm->messages, 1);
    assert_true(vm->line[0]);
    fake_advance(1000000000);
    assert_int_equal(vm->messages, 1);
    assert_int_equal(fake_timers(), 0);
    program(0, 0, 1193);
    assert_false(vm->line[0]);
}

static void software_strobe_interrupts_once(void **state)
{
    unmask();
    program(0, 4, 1193); /* the output rises as the mode is set, then strobes */
    unsigned before = vm->messages;
    fake_advance(1000000000);
    assert_int_equal(vm->messages, before + 1);
}

static void a_flood_is_thinned_out(void **state)
{
    unmask();
    program(0, 2, 2);
    fake_timers_armed = 0;
    fake_advance(100000000);
    assert_in_range(fake_timers_armed, 900, 1010); /* 10 kHz, not 600 */
}

static void the_counter_counts_down(void **state)
{
    program(1, 2, 1000);
    fake_advance(TICKS(100));
    assert_in_range(counter(1), 899, 900);
    fake_advance(TICKS(1000));
    assert_in_range(counter(1), 897, 900);
    program(1, 3, 1000);
    fake_advance(TICKS(100));
    assert_in_range(counter(1), 798, 800); /* by twos */
    program(1, 0, 10);
    fake_advance(TICKS(12));
    assert_in_range(counter(1), 0xfffd, 0xffff); /* goes on below zero */
    program(1, 2, 0);                            /* 65536 */
    fake_advance(TICKS(1));
    assert_in_range(counter(1), 0xfffe, 0xffff);
}

static void bcd_counts_in_decimal(void **state)
{
    fake_out(vm, 0x43, 1, 0x75);
    fake_out(vm, 0x41, 1, 0x00);
    fake_out(vm, 0x41, 1, 0x10); /* 1000 */
    fake_advance(TICKS(1));
    assert_in_range(counter(1), 0x998, 0x999);
}

static void the_first_latch_holds(void **state)
{
    program(1, 2, 1000);
    fake_advance(TICKS(10));
    fake_out(vm, 0x43, 1, 0x40);
    fake_advance(TICKS(100));
    fake_out(vm, 0x43, 1, 0x40);
    u16 low = fake_in(vm, 0x41, 1);
    assert_in_range(low | fake_in(vm, 0x41, 1) << 8, 989, 990);
}

static void read_back_gives_status_then_count(void **state)
{
    program(1, 2, 1000);
    fake_advance(TICKS(10));
    fake_out(vm, 0x43, 1, 0xc4); /* both, channel 1 */
    fake_advance(TICKS(100));
    assert_int_equal(fake_in(vm, 0x41, 1), 0x80 | 0x30 | 2 << 1);
    u16 low = fake_in(vm, 0x41, 1);
    assert_in_range(low | fake_in(vm, 0x41, 1) << 8, 989, 990);
    fake_out(vm, 0x43, 1, 0x70); /* mode 0, not loaded: null count, output low */
    fake_out(vm, 0x43, 1, 0xe4);
    assert_int_equal(fake_in(vm, 0x41, 1), 0x70);
}

static void single_byte_access(void **state)
{
    fake_out(vm, 0x43, 1, 0x54); /* channel 1, low byte, mode 2 */
    fake_out(vm, 0x41, 1, 200);
    fake_advance(TICKS(50));
    assert_in_range(fake_in(vm, 0x41, 1), 149, 150);
    assert_in_range(fake_in(vm, 0x41, 1), 149, 150);
    fake_out(vm, 0x43, 1, 0x64); /* high byte */
    fake_out(vm, 0x41, 1, 2);
    fake_advance(TICKS(1));
    assert_int_equal(fake_in(vm, 0x41, 1), 1);
}

static void gate_two_and_out_two(void **state)
{
    fake_out(vm, 0x61, 1, 0); /* the way Linux calibrates the TSC */
    fake_out(vm, 0x61, 1, 1);
    program(2, 0, 11932);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x2f, 1);
    fake_advance(9000000);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0);
    fake_out(vm, 0x61, 1, 0); /* the gate holds the count */
    fake_advance(9000000);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0);
    fake_out(vm, 0x61, 1, 1);
    fake_advance(900000);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0);
    fake_advance(200000);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0x20);
}

static void a_gate_triggers_the_one_shot(void **state)
{
    program(2, 1, 11932);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0x20);
    fake_advance(20000000);
    fake_out(vm, 0x61, 1, 1);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0);
    fake_advance(10100000);
    assert_int_equal(fake_in(vm, 0x61, 1) & 0x20, 0x20);
}

static void refresh_toggles(void **state)
{
    bool seen[2] = { false };
    for (int i = 0; i < 20; i++, fake_advance(5000))
        seen[fake_in(vm, 0x61, 1) >> 4 & 1] = true;
    assert_true(seen[0] && seen[1]);
}

static void reset_stops_it(void **state)
{
    unmask();
    program(0, 2, 11932);
    fake_reset_devices(vm);
    assert_int_equal(fake_timers(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nobody_listens_nothing_is_armed, setup),
        cmocka_unit_test_setup(rate_generator_interrupts_each_period, setup),
        cmocka_unit_test_setup(square_wave_interrupts_each_period, setup),
        cmocka_unit_test_setup(unmasking_wakes_and_masking_lets_sleep, setup),
        cmocka_unit_test_setup(one_shot_interrupts_once_and_stays_high, setup),
        cmocka_unit_test_setup(software_strobe_interrupts_once, setup),
        cmocka_unit_test_setup(a_flood_is_thinned_out, setup),
        cmocka_unit_test_setup(the_counter_counts_down, setup),
        cmocka_unit_test_setup(bcd_counts_in_decimal, setup),
        cmocka_unit_test_setup(the_first_latch_holds, setup),
        cmocka_unit_test_setup(read_back_gives_status_then_count, setup),
        cmocka_unit_test_setup(single_byte_access, setup),
        cmocka_unit_test_setup(gate_two_and_out_two, setup),
        cmocka_unit_test_setup(a_gate_triggers_the_one_shot, setup),
        cmocka_unit_test_setup(refresh_toggles, setup),
        cmocka_unit_test_setup(reset_stops_it, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
