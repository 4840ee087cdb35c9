/* SPDX-License-Identifier: MIT */
/* A stop ends the life of a domain that it finds, against a keeper that restarts it and beside all others. */
#include "domain_test.h"

static void stop_it(void *d) { assert_int_equal(domain_stop(d), 0); }
/* Just before the keeper takes a lock: the first one, after its pause, is the domain's. */
static void stop_then(void)
{
    if (strcmp(thread_self()->name, "keeper"))
        host_elsewhere = stop_then;
    else
        stop_it(&domains[0]);
}
static void stays_stopped(struct domain *d, unsigned lives)
{
    host_run(host_now + 300000000);
    assert_int_equal(d->state, DOMAIN_STOPPED);
    assert_int_equal(d->end, END_STOPPED);
    assert_int_equal(starts[d->id], lives);
}

static void a_stop_between_the_decision_to_restart_and_the_start_wins(void **state)
{
    domain_end(&domains[0], END_RESET, "by port");
    host_run(host_now + 99999999);
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    host_elsewhere = stop_then;
    stays_stopped(&domains[0], 1);
    assert_null(host_elsewhere);
    assert_int_equal(domains[0].restarts, 0);
}

static void a_stop_during_a_start_wins(void **state)
{
    start_takes = 50000000;
    domain_end(&domains[0], END_RESET, "by port");
    host_run(host_now + 120000000);
    assert_int_equal(starts[0], 1); /* in its start */
    thread_start(thread_create("stop", 1, 31, stop_it, &domains[0], NULL, false));
    stays_stopped(&domains[0], 2);
}

static void the_console_waits_with_patience_for_threads_that_do_not_leave(void **state)
{
    stays = true;
    run_command("stop linux");
    host_run(host_now + 9900000000);
    assert_false(said("stop"));
    host_run(host_now + 200000000);
    assert_true(said("domain linux: its threads have not left for 10 s; it stops when they have"));
    assert_true(said("error: stop: -110"));
    run_command("start linux");
    host_run(host_now + 10100000000);
    assert_true(said("error: start: -16"));
    run_command("restart linux");
    host_run(host_now + 10100000000);
    assert_true(said("error: restart: -110"));
    stays = false;
    run_command("stop linux");
    assert_true(said("ok"));
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[0].restarts, 0);
}

/* It may have no time to end beside others, but what a stop gives it. */
static void a_domain_that_ends_by_itself_is_told_to_leave_again_by_a_stop(void **state)
{
    stays = true;
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    host_settle();
    assert_int_equal(kills, 1);
    stays = false;
    run_command("stop linux");
    assert_int_equal(kills, 2);
    assert_true(said("ok"));
    assert_int_equal(domains[0].end, END_POWER_OFF);
}

/* The thread "order" is held up for 1 ms just before its nth lock: others go on meanwhile. */
static unsigned held_up_at, order_locks;
static void hold_up(void)
{
    if (!strcmp(thread_self()->name, "order") && ++order_locks == held_up_at)
        thread_sleep_ns(1000000);
    host_elsewhere = hold_up;
}
static int answer;
static void order_stop(void *d) { answer = domain_stop(d); }
static void order(unsigned at)
{
    answer = 1;
    order_locks = 0;
    held_up_at = at;
    host_elsewhere = hold_up;
    thread_start(thread_create("order", 1, 31, order_stop, &domains[0], NULL, false));
}

static void a_stop_beside_the_keepers_restart_ends_it_and_says_so(void **state)
{
    unsigned at = 0;
    do {
        setup(NULL);
        start_takes = 500000;
        domain_end(&domains[0], END_RESET, "by port");
        host_run(host_now + 99900000); /* the restart is near */
        order(++at);
        host_run(host_now + 400000000);
        host_elsewhere = NULL;
        assert_int_equal(answer, 0);
        assert_int_equal(domains[0].state, DOMAIN_STOPPED);
        assert_int_equal(domains[0].end, END_STOPPED);
    } while (order_locks >= at);
    assert_true(at > 4);
}

/* Nobody waits any more when it has ended after all. */
static void a_stop_that_has_waited_in_vain_holds(void **state)
{
    stays = true;
    domain_end(&domains[0], END_RESET, "by port");
    order(0);
    host_run(host_now + 11000000000);
    assert_int_equal(answer, -ETIMEDOUT);
    stays = false;
    kill(&domains[0]);
    stays_stopped(&domains[0], 1);
}

static void start_and_fault(void *d)
{
    assert_int_equal(domain_start(d), 0);
    stays = true;
    domain_end(d, END_FAULT, "wild");
}
static void a_stop_waits_for_the_life_that_it_found_and_for_no_later_one(void **state)
{
    stays = true;
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    thread_start(thread_create("start", 0, 31, start_and_fault, &domains[0], NULL, false));
    host_settle();
    u32 life = domains[0].life;
    order(0);
    host_settle();
    assert_int_equal(answer, 1);
    stays = false;
    kill(&domains[0]);
    host_settle();
    assert_int_equal(domains[0].state, DOMAIN_STOPPING); /* the next one */
    assert_int_equal(domains[0].life, life_next(life));
    assert_int_equal(answer, 0);
}

static void each_start_begins_a_life_with_a_number_of_its_own(void **state)
{
    assert_int_equal(domains[0].life, 1);
    assert_int_equal(domain_start(&domains[0]), -EBUSY);
    assert_int_equal(domains[0].life, 1);
    domains[0].life = LIFE_MASK;
    run_command("restart linux");
    assert_int_equal(domains[0].life, 1);
    start_error = -ENOMEM;
    run_command("restart linux");
    assert_int_equal(domains[0].life, 2); /* who saw it begin does not meet its number again */
}

static void the_reason_of_an_end_is_the_first_unless_a_stop_cancels_a_restart(void **state)
{
    stays = true;
    domain_end(&domains[0], END_TRIPLE_FAULT, "rip 1234");
    order(0);
    host_settle();
    assert_int_equal(domains[0].end, END_TRIPLE_FAULT); /* nothing would restart it */
    assert_string_equal(domains[0].reason, "rip 1234");
    stays = false;
    kill(&domains[0]);
    host_settle();
    assert_int_equal(domains[0].end, END_TRIPLE_FAULT);
    assert_int_equal(domain_start(&domains[0]), 0);
    stays = true;
    domain_end(&domains[0], END_RESET, "by port");
    order(0);
    host_settle();
    assert_int_equal(domains[0].end, END_STOPPED);
    assert_string_equal(domains[0].reason, "by the control console");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_stop_between_the_decision_to_restart_and_the_start_wins),
        T(a_stop_during_a_start_wins),
        T(the_console_waits_with_patience_for_threads_that_do_not_leave),
        T(a_domain_that_ends_by_itself_is_told_to_leave_again_by_a_stop),
        T(a_stop_beside_the_keepers_restart_ends_it_and_says_so),
        T(a_stop_that_has_waited_in_vain_holds),
        T(a_stop_waits_for_the_life_that_it_found_and_for_no_later_one),
        T(each_start_begins_a_life_with_a_number_of_its_own),
        T(the_reason_of_an_end_is_the_first_unless_a_stop_cancels_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
