/* SPDX-License-Identifier: MIT */
/* Timers: in order of deadline, never early, cancellable from anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "host.h"
#include <core/timer.h>
#include <string.h>

static char order[64];
static ticks_t fired_at[64];
static void fire(void *arg)
{
    size_t n = strlen(order);
    fired_at[n] = host_now;
    order[n] = *(char *)arg;
    order[n + 1] = '\0';
}
static int setup(void **state)
{
    memset(order, 0, sizeof(order));
    host_boot(3);
    return 0;
}

static void timers_fire_in_order_of_deadline_then_of_arming(void **state)
{
    struct timer t[5];
    static const ticks_t at[] = { 5000, 3000, 9000, 3000, 2000 };
    for (unsigned i = 0; i < 5; i++) {
        timer_init(&t[i], fire, &"abcde"[i]);
        timer_arm(&t[i], at[i]);
    }
    host_run(10000);
    assert_string_equal(order, "ebdac");
    assert_int_equal(fired_at[0], 2000);
    assert_int_equal(fired_at[1], 3000);
    assert_int_equal(fired_at[4], 9000);
}

static void the_alarm_is_armed_for_the_earliest(void **state)
{
    struct timer a, b;
    timer_init(&a, fire, "a");
    timer_init(&b, fire, "b");
    timer_arm(&a, 8000);
    assert_int_equal(host_alarm[0], 8000);
    timer_arm(&b, 4000);
    assert_int_equal(host_alarm[0], 4000);
    host_run(5000);
    assert_int_equal(host_alarm[0], 8000);
    host_run(9000);
    assert_true(host_alarm[0] == TICKS_NEVER);
}

static void rearming_moves_a_timer(void **state)
{
    struct timer a;
    timer_init(&a, fire, "a");
    timer_arm(&a, 2000);
    timer_arm(&a, 6000);
    host_run(5999);
    assert_string_equal(order, "");
    host_run(6000);
    assert_string_equal(order, "a");
    assert_int_equal(fired_at[0], 6000);
    timer_arm(&a, 7000);
    timer_arm(&a, TICKS_NEVER);
    host_run(8000);
    assert_string_equal(order, "a");
}

static void a_past_deadline_fires_at_once(void **state)
{
    struct timer a;
    timer_init(&a, fire, "a");
    timer_arm(&a, 1);
    host_settle();
    assert_string_equal(order, "a");
}

static void cancel_works_from_another_core(void **state)
{
    struct timer a;
    timer_init(&a, fire, "a");
    host_on(2);
    timer_arm(&a, 5000);
    assert_int_equal(a.cpu, 2);
    host_on(0);
    assert_true(timer_cancel(&a));
    assert_false(timer_cancel(&a));
    host_run(6000);
    assert_string_equal(order, "");
}

static void arming_moves_a_timer_to_the_armer_s_core(void **state)
{
    struct timer a;
    timer_init(&a, fire, "a");
    host_on(2);
    timer_arm(&a, 5000);
    host_on(1);
    timer_arm(&a, 5500);
    assert_int_equal(a.cpu, 1);
    assert_true(list_empty(&cpus[2]->timers));
    host_run(6000);
    assert_string_equal(order, "a");
}

static struct timer periodic;
static void again(void *arg)
{
    fire(arg);
    if (strlen(order) < 4)
        timer_arm(&periodic, periodic.deadline + 100);
}
static void a_timer_may_rearm_itself(void **state)
{
    timer_init(&periodic, again, "p");
    timer_arm(&periodic, 2000);
    unsigned before = host_alarms_set;
    host_run(5000);
    assert_string_equal(order, "pppp");
    assert_int_equal(fired_at[3], 2300);
    assert_int_equal(host_alarms_set - before, 3); /* one programming of the hardware a firing */
}

/* A program may ask for alarms and cancel them without end. */
static void who_cancels_a_timer_that_is_not_armed_waits_for_nobody(void **state)
{
    struct timer t;
    timer_init(&t, fire, "a");
    spin_lock(&cpus[0]->timer_lock);
    host_on(1);
    alarm(10); /* it would wait for ever */
    assert_false(timer_cancel(&t));
    timer_arm(&t, TICKS_NEVER);
    timer_arm(&t, 5000); /* core 1's from now on */
    assert_true(timer_cancel(&t));
    alarm(0);
    spin_unlock(&cpus[0]->timer_lock);
    assert_int_equal(t.cpu, 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(timers_fire_in_order_of_deadline_then_of_arming),
        T(the_alarm_is_armed_for_the_earliest),
        T(rearming_moves_a_timer),
        T(a_past_deadline_fires_at_once),
        T(cancel_works_from_another_core),
        T(arming_moves_a_timer_to_the_armer_s_core),
        T(a_timer_may_rearm_itself),
        T(who_cancels_a_timer_that_is_not_armed_waits_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
