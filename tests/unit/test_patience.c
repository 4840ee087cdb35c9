/* SPDX-License-Identifier: MIT */
/* test_patience.c - the alarm of the library's questions, beside the program's own and beside signals that other
 * threads send (user/nanvix/lib/signal.c). The test is the kernel, whose one alarm a thread has, and the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <amalgam/clusters.h>
#include <nanvix/sys/signal.h>
#include <nanvix/sys/thread.h>

#include "../../user/lib/upcall.h"

/* What signal.c needs of user/lib/thread.h, whose thread pointer is the host's here. */
#define AMALGAM_USER_THREAD_H
static struct amalgam_thread {
    struct {
        uint32_t handled;
    } signals;
} thread;
static struct amalgam_thread *thread_self(void) { return &thread; }
static void handlers_hold(void);
static void handlers_let(void);

#define amalgam_clock              the_clock
#define amalgam_alarm              the_alarm
#define amalgam_signal(signum, by) (taken |= 1u << (signum), (void)(by))

static uint32_t taken; /* bits: signals whose handler is the library's */
static uint64_t the_clock(void);
static int64_t the_alarm(uint64_t ns);

#include "../../user/nanvix/lib/signal.c"

#define MS 1000000ull

static void pass(uint64_t ns);
static uint64_t clock_ns, due;              /* of the kernel's alarm; 0: it is not armed */
static uint64_t before_alarm, behind_alarm; /* how long the next call of alarm takes, before it and behind it */
static unsigned came;                       /* to the program */

/* A handler that comes between two steps and asks for an alarm. Steps are calls of the clock and of the kernel, and
 * what holds handlers. */
#define OTHER SIGPGPROT
static unsigned until_handler; /* steps; 0: it does not come */
static int asks, was_left;     /* seconds: of kalarm(), and what that returned */
static uint64_t asked_at;
static uint64_t before_ask, behind_ask; /* how long it computes */
static bool only_computes;              /* it asks for nothing */
static bool held, handles, late;        /* handlers wait; one runs; an alarm has rung meanwhile */

static void step(void)
{
    if (!until_handler || held || handles || --until_handler)
        return;
    handles = true;
    take(OTHER, NULL);
    handles = false;
    if (late)
        pass(0);
}

static void ask(void *frame)
{
    (void)frame;
    pass(before_ask);
    if (only_computes)
        return;
    asked_at = clock_ns;
    was_left = kalarm(asks);
    pass(behind_ask);
}

static void handlers_hold(void)
{
    step();
    held = true;
}

static void handlers_let(void)
{
    held = false;
    if (late)
        pass(0);
    step();
}

static uint64_t the_clock(void)
{
    step();
    return clock_ns;
}
__thread int nanvix_errno;
void signal_continue(struct amalgam_frame *frame) { abort(); }
long nanvix_result(int64_t result) { return (long)result; }
int nanvix_answer(int result) { return result; }
int64_t nanvix_thread_signal(int tid, uint32_t signal) { return -1; }

/* As signal_handle(). */
static void signal_comes(void)
{
    late = held || handles;
    if (late)
        return;
    thread.signals.handled++;
    take(SIGALRM, NULL);
}

static void pass(uint64_t ns)
{
    if (late)
        signal_comes();
    for (clock_ns += ns; due && clock_ns >= due;) {
        due = 0;
        signal_comes();
    }
}

static void pass_once(uint64_t *ns)
{
    uint64_t now_ns = *ns;
    *ns = 0;
    pass(now_ns);
}

static int64_t the_alarm(uint64_t ns)
{
    step();
    pass_once(&before_alarm);
    int64_t left = due ? (int64_t)(due - clock_ns) : 0;
    due = ns ? clock_ns + ns : 0;
    pass_once(&behind_alarm);
    step();
    return left;
}

static void note(void *frame)
{
    (void)frame;
    came++;
}

static int setup(void **state)
{
    struct ksigaction action = { note }, other = { ask };
    (void)state;
    clock_ns = 1000 * MS;
    due = before_alarm = behind_alarm = 0;
    memset(&patience, 0, sizeof(patience));
    memset(&own, 0, sizeof(own));
    until_handler = 0;
    held = handles = late = only_computes = false;
    came = thread.signals.handled = 0;
    assert_int_equal(ksigctl(SIGALRM, &action), 0);
    assert_int_equal(ksigctl(OTHER, &other), 0);
    return 0;
}

static void question(uint64_t patient, uint64_t takes)
{
    nanvix_patience(patient);
    pass(takes);
    nanvix_patience(0);
}

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
        TEST(the_alarm_of_a_handler_is_the_programs_at_any_moment_of_a_question),
        TEST(what_rings_in_a_handler_that_asks_for_an_alarm_is_not_the_programs),
        TEST(a_signal_behind_such_a_handler_is_not_taken_for_patience),
        TEST(a_handler_that_computes_while_the_alarm_is_set_costs_no_signal),
        TEST(of_two_that_ask_for_alarms_at_once_the_kernel_has_the_librarys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
