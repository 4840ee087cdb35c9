/* SPDX-License-Identifier: MIT */
/* The 8254's edges that come while its guest does not run. */
#include "pit_test.h"

/* While the guest is out of its windows, its neighbours pay for one expiry. */
static void a_guest_that_does_not_run_costs_one_expiry(void **state)
{
    unmask();
    program(0, 2, 1);
    fake_asleep = true;
    unsigned before = fake_fired;
    fake_advance(1000000000);
    assert_int_equal(fake_fired - before, 1);
    fake_asleep = false;
    pit_resume(vm);
    fake_advance(10000000);
    assert_in_range(fake_fired - before, 90, 110);
}

/* The guest does not run for `ns`; the PIT's interrupt of that time is one. */
static void sleep_for(u64 ns)
{
    fake_asleep = true;
    fake_advance(ns);
    fake_asleep = false;
    pit_resume(vm);
}

/* A guest counts its ticks by interrupts; Linux takes a timer with fewer than five in 160 ms for one that is not
 * connected. */
static void periods_that_passed_without_the_guest_are_made_up_for(void **state)
{
    unmask();
    program(0, 2, 4772); /* 4 ms: 250 Hz */
    for (int i = 0; i < 50; i++) {
        sleep_for(18000000);
        fake_advance(2000000); /* a window of 2 of 20 ms */
    }
    assert_in_range(vm->messages, 249, 251);
    unsigned before = vm->messages;
    fake_advance(1000000000); /* and none too many */
    assert_in_range(vm->messages - before, 249, 251);
}

static void what_is_made_up_for_comes_100_us_apart(void **state)
{
    unmask();
    program(0, 3, 11932);
    sleep_for(95000000);
    unsigned before = vm->messages;
    fake_advance(450000);
    assert_in_range(vm->messages - before, 4, 5);
    fake_advance(1000000);
    assert_in_range(vm->messages - before, 8, 9);
}

/* 60 s are 6,000 periods; those of the last second are made up for. */
static void what_is_made_up_for_is_bounded(void **state)
{
    unmask();
    program(0, 2, 11932);
    sleep_for(60000000000);
    unsigned before = vm->messages;
    fake_advance(1000000000);
    assert_in_range(vm->messages - before, 198, 202);
    before = vm->messages;
    fake_advance(1000000000);
    assert_in_range(vm->messages - before, 99, 101);
}

static void a_new_count_has_nothing_to_make_up_for(void **state)
{
    unmask();
    program(0, 2, 11932);
    sleep_for(500000000);
    program(0, 2, 11932);
    unsigned before = vm->messages;
    fake_advance(9000000);
    assert_int_equal(vm->messages, before);
}

/* Who masked the timer for a second has asked for none of its interrupts. */
static void what_was_masked_is_one_edge(void **state)
{
    unmask();
    program(0, 2, 11932);
    fake_store(vm, 0xfec00010, 4, 0x10030);
    fake_advance(1000000000);
    unsigned before = vm->messages;
    unmask();
    fake_advance(5000000);
    assert_in_range(vm->messages - before, 1, 2);
}

/* A vCPU of another core takes an earlier edge's request while the timer of a one-shot is about to fire. */
static void a_one_shot_that_is_passed_is_not_lost(void **state)
{
    unmask();
    program(0, 0, 1193);
    host_now += 2000000; /* the timer is due and has not fired */
    pit_resume(vm);
    fake_advance(1000000);
    assert_int_equal(vm->messages, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_guest_that_does_not_run_costs_one_expiry, setup),
        cmocka_unit_test_setup(periods_that_passed_without_the_guest_are_made_up_for, setup),
        cmocka_unit_test_setup(what_is_made_up_for_comes_100_us_apart, setup),
        cmocka_unit_test_setup(what_is_made_up_for_is_bounded, setup),
        cmocka_unit_test_setup(a_new_count_has_nothing_to_make_up_for, setup),
        cmocka_unit_test_setup(what_was_masked_is_one_edge, setup),
        cmocka_unit_test_setup(a_one_shot_that_is_passed_is_not_lost, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
