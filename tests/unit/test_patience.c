/* SPDX-License-Identifier: MIT */
/* test_patience.c - the alarm of the library's questions, beside the program's own and beside signals that other
 * threads send (user/nanvix/lib/signal.c). */
#include "patience_test.h"

static void what_is_left_armed_is_not_the_programs(void **state)
{
    (void)state;
    question(100 * MS, MS);
    question(100 * MS, MS); /* by the same alarm */
    assert_int_equal(kalarm(0), 0);
    question(100 * MS, 350 * MS);
    pass(500 * MS);
    assert_true(!came && !thread.signals.handled && !due);
}

static void the_programs_alarm_comes_though_questions_are_asked(void **state)
{
    (void)state;
    assert_int_equal(kalarm(1), 0);
    question(100 * MS, MS);
    pass(998 * MS);
    assert_int_equal(came, 0);
    pass(MS);
    assert_int_equal(came, 1);
    assert_int_equal(kalarm(1), 0);
    pass(950 * MS);
    question(100 * MS, 60 * MS); /* in which it comes due */
    pass(1);
    assert_int_equal(came, 2);
}

static void a_signal_of_another_thread_is_not_taken_for_patience(void **state)
{
    (void)state;
    question(100 * MS, MS);
    signal_comes();
    assert_int_equal(came, 1);
    nanvix_patience(100 * MS);
    pass(MS);
    signal_comes();
    assert_int_equal(came, 2);
    pass(200 * MS);
    nanvix_patience(0);
    pass(200 * MS);
    assert_int_equal(came, 2);
}

static void the_programs_alarm_comes_when_a_question_takes_it_over(void **state)
{
    (void)state;
    assert_int_equal(kalarm(1), 0);
    pass(1000 * MS - 1);
    before_alarm = 1;
    question(100 * MS, MS);
    assert_int_equal(came, 1);
    pass(2000 * MS);
    assert_int_equal(came, 1);
}

static void pass_and_look(void)
{
    pass(500 * MS);
    assert_int_equal(came, 0);
    assert_false(due);
}

/* Of a former question's alarm and of the new one either may ring while it is set. */
static void a_ring_in_the_instant_of_arming_is_not_the_programs(void **state)
{
    (void)state;
    question(10 * MS, MS);
    clock_ns += 9 * MS; /* it is due and has not rung yet */
    before_alarm = 1;
    question(100 * MS, MS);
    pass_and_look();
    question(100 * MS, MS);
    before_alarm = 150 * MS;
    question(10 * MS, MS);
    pass_and_look();
    question(100 * MS, MS);
    behind_alarm = 20 * MS;
    question(10 * MS, MS);
    pass_and_look();
    behind_alarm = 20 * MS;
    question(10 * MS, MS);
    pass_and_look();
}

/* A signal that the program uses by the C library's functions stays theirs. */
static void only_signals_that_are_asked_for_are_taken(void **state)
{
    (void)state;
    assert_int_equal(taken, 1u << SIGALRM | 1u << OTHER);
    assert_int_equal(ksigsend(SIGOPCODE, 1), -1);
    assert_int_equal(taken, 1u << SIGALRM | 1u << OTHER | 1u << SIGOPCODE);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_signals_that_are_asked_for_are_taken),
        TEST(what_is_left_armed_is_not_the_programs),
        TEST(the_programs_alarm_comes_though_questions_are_asked),
        TEST(a_signal_of_another_thread_is_not_taken_for_patience),
        TEST(the_programs_alarm_comes_when_a_question_takes_it_over),
        TEST(a_ring_in_the_instant_of_arming_is_not_the_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
