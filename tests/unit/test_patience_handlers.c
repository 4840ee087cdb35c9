/* SPDX-License-Identifier: MIT */
/* test_patience_handlers.c - handlers of the program that come at each moment of the library's questions
 * (user/nanvix/lib/signal.c). */
#include "patience_test.h"

/* The program has no other alarm, and it comes when it is due and never again. */
static void comes_at(uint64_t when)
{
    assert_true(!patience.until && !patience.rung && !held && came == 0);
    assert_true(when ? due == when && !patience.armed : due >= patience.armed && !due == !patience.armed);
    if (when) {
        pass(when - clock_ns - 1);
        assert_int_equal(came, 0);
        pass(1);
    }
    question(100 * MS, MS);
    pass(5000 * MS);
    assert_int_equal(came, when != 0);
}

/* Returns whether the handler has come. `first`: seconds of the alarm that the program has before. */
static bool handler_comes(unsigned step, int seconds, int first, void (*does)(void))
{
    setup(NULL);
    question(100 * MS, MS); /* whose alarm is left */
    if (first)
        kalarm(first);
    asks = seconds;
    until_handler = step;
    does();
    return !until_handler;
}

static void asks_twice(void)
{
    question(100 * MS, MS);
    question(10 * MS, MS);
}

/* The kernel has one alarm a thread, which is the program's, patience's, or on its way from the one to the other. */
static void ask_at_each_moment(void)
{
    unsigned came_in = 0;
    for (unsigned i = 0; i < 6; i++) {
        int first = i % 2, seconds = (int)(i / 2); /* 0 s: it takes the former one back */
        for (unsigned at = 1; handler_comes(at, seconds, first, asks_twice); at++, came_in++) {
            assert_int_equal(was_left, first);
            comes_at(seconds ? asked_at + (uint64_t)seconds * SECOND : 0);
        }
    }
    assert_true(came_in > 6 * 5);
}

static void the_alarm_of_a_handler_is_the_programs_at_any_moment_of_a_question(void **state)
{
    (void)state;
    ask_at_each_moment();
}

/* Before it asks for that one, or behind that. */
static void what_rings_in_a_handler_that_asks_for_an_alarm_is_not_the_programs(void **state)
{
    (void)state;
    for (unsigned i = 1; i < 4; i++) {
        before_ask = i & 1 ? 150 * MS : 0;
        behind_ask = i & 2 ? 150 * MS : 0;
        ask_at_each_moment();
    }
    before_ask = behind_ask = 0;
}

/* What the library takes for patience's alarm is the kernel's, or a signal of another thread would be lost. */
static void a_handler_that_computes_while_the_alarm_is_set_costs_no_signal(void **state)
{
    unsigned at = 0;
    (void)state;
    for (bool comes = true; comes;) {
        setup(NULL);
        only_computes = true;
        before_ask = 50 * MS;
        until_handler = ++at;
        nanvix_patience(100 * MS);
        comes = !until_handler;
        until_handler = 0;
        assert_true(due >= patience.armed && due - patience.armed <= EARLY);
        pass(due - clock_ns - MS);
        signal_comes();
        assert_int_equal(came, 1);
        pass(MS);
        nanvix_patience(0);
        assert_int_equal(came, 1);
    }
    before_ask = 0;
    assert_true(at > 3);
}

/* A handler may take back an alarm that the kernel has not got yet. */
static void a_signal_behind_such_a_handler_is_not_taken_for_patience(void **state)
{
    unsigned at = 0;
    (void)state;
    for (bool comes = true; comes;) {
        setup(NULL);
        asks = 0;
        until_handler = ++at;
        question(100 * MS, MS);
        comes = !until_handler;
        until_handler = 0;
        signal_comes();
        assert_int_equal(came, 1);
    }
    assert_true(at > 3);
}

static void asks_for_three(void) { kalarm(3); }

static void of_two_that_ask_for_alarms_at_once_the_kernel_has_the_librarys(void **state)
{
    unsigned came_in = 0;
    (void)state;
    for (unsigned at = 1; handler_comes(at, 2, 1, asks_for_three); at++, came_in++) {
        assert_true(own.due == asked_at + 2 * SECOND || own.due == asked_at + 3 * SECOND);
        comes_at(own.due);
    }
    assert_true(came_in > 1);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_alarm_of_a_handler_is_the_programs_at_any_moment_of_a_question),
        TEST(what_rings_in_a_handler_that_asks_for_an_alarm_is_not_the_programs),
        TEST(a_signal_behind_such_a_handler_is_not_taken_for_patience),
        TEST(a_handler_that_computes_while_the_alarm_is_set_costs_no_signal),
        TEST(of_two_that_ask_for_alarms_at_once_the_kernel_has_the_librarys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
