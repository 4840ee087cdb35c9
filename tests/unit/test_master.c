/* SPDX-License-Identifier: MIT */
/* Remote calls: who is served when, and who sleeps. */
#include "master_test.h"

#include <generated/cluster_calls.h>

/* Order */

static void who_comes_first_is_served_first(void **state)
{
    static const u8 order[] = { 3, 1, 4, 2, 5 };
    for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
        arrive_at(order[i], at_once);
    assert_string_equal(served, "");
    settle_within(QUIET);
    assert_string_equal(served, "31425");
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(callers[i].result, 7);
}

static void who_comes_while_others_are_served_is_behind_them(void **state)
{
    arrive_at(3, at_once);
    arrive_at(1, at_once);
    arrive_at(2, at_once);
    TURNS_UNTIL(*served, 100, 0)
    arrive_at(5, at_once);
    arrive_at(4, at_once);
    settle_within(QUIET);
    assert_string_equal(served, "31254");
}

/* A core has exchanged the latest arrival for its own, and has not said yet which one was before it. */
static void who_has_arrived_by_half_keeps_its_place(void **state)
{
    arrive_at(1, at_once);
    struct asked *half = aligned_alloc(NOC_LINE, sizeof(*half));
    *half = (struct asked){ .request = { .serve = at_once }, .caller = &callers[2] };
    half->request.earlier = &half->request;
    struct request *earlier = arrivals;
    arrivals = &half->request;
    arrive_at(3, at_once);
    for (unsigned i = 0; i < 100; i++)
        step(0);
    assert_string_equal(served, "");
    half->request.earlier = earlier;
    settle_within(QUIET);
    assert_string_equal(served, "123");
    assert_int_equal(half->request.state, REQUEST_DONE);
    free(half);
}

static u32 random_state;
static u32 any_of(u32 n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (u32)((u64)(random_state >> 8) * n >> 24);
}

/* Turns at random until all calls have come to their end: now and then a core has a run of them, so that others are far
 * behind. */
static void turns_at_random(unsigned some, bool rings)
{
    for (unsigned n = 0, left = some; left; n++) {
        assert_true(n < 200000);
        unsigned core = any_of(4) ? any_of(CORES) : 0;
        for (unsigned i = any_of(16) ? 1 : any_of(60); i; i--)
            step(core);
        if (rings && !any_of(200))
            send_as(1, any_of(3));
        left = 0;
        for (unsigned i = 0; i < CALLERS; i++)
            left += callers[i].calls;
    }
}

/* Whatever the order in which cores go on: all calls come to their end, each is served once, in the order of arrival,
 * and nobody is passed by another caller's next call. Rings and messages of a neighbour, where there are some, would
 * wake a master that has forgotten somebody. */
static void in_each_order_of_turns_all_are_served_as_they_came(void **state)
{
    for (u32 seed = 0; seed < 200; seed++) {
        setup(state);
        random_state = seed;
        unsigned some = 1 + seed % CALLERS, first = any_of(CALLERS);
        for (unsigned i = 0; i < some; i++)
            start((first + i) % CALLERS, at_once, 12);
        turns_at_random(some, seed % 4 == 3);
        settle_within(QUIET);
        assert_int_equal(strlen(served), 12 * some);
        assert_string_equal(served, arrivals_seen);
        assert_true(master_sleeps());
    }
}

/* Sleep */

static void who_has_to_wait_sleeps_and_so_does_the_master(void **state)
{
    struct caller *c = start(1, when_open, 1);
    unsigned turns_of_master = turns[0].gave_way;
    settle_within(QUIET);
    assert_true(is_asleep(c) && master_sleeps());
    assert_in_range(turns[1].gave_way, 1, TURNS);
    assert_in_range(turns[0].gave_way - turns_of_master, 1, 3 * TURNS);
    assert_int_equal(host_alarm[0], TICKS_NEVER); /* it waits for no cluster, so nobody looks whether one lives */
    open_for(c);
    settle_within(QUIET);
    assert_true(c->result == 7 && !c->calls);
}

/* Wherever the master stands between its last work and its sleep. */
static void nothing_is_lost_on_the_masters_way_to_sleep(void **state)
{
    for (unsigned what = 0; what < 3; what++) {
        bool slept = false;
        for (unsigned moment = 0; !slept; moment++) {
            setup(state);
            struct caller *waits = start(2, when_open, 1);
            settle_within(QUIET);
            arrive_at(1, at_once);
            TURNS_UNTIL(!callers[1].calls, 100, 0, 1)
            for (unsigned i = 0; i < moment; i++)
                step(0);
            slept = master_sleeps();
            polls = 0;
            if (what == 0)
                arrive_at(3, at_once);
            else if (what == 1)
                open_for(waits);
            else
                noc_ring(0);
            settle_within(QUIET);
            assert_true(what == 0 ? callers[3].result == 7 : what == 1 ? waits->result == 7 : polls > 0);
        }
    }
}

/* A wake-up takes a lock and two interrupts. */
static void who_is_awake_is_not_woken(void **state)
{
    step(0);
    for (unsigned i = 0; i < 2; i++) {
        struct caller *c = arrive_at(1, at_once);
        unsigned rings = host_ipis_to[1], to_master = host_ipis_to[0];
        TURNS_UNTIL(*served, 100, 0)
        TURNS_UNTIL(!c->calls, 50, 0, 1) /* the second one's master is awake, too */
        assert_int_equal(host_ipis_to[1], rings);
        assert_int_equal(host_ipis_to[0], to_master);
        assert_false(c->thread->wakeup);
        thread_discard(c->thread);
        served[0] = '\0';
    }
}

static void a_caller_on_the_masters_core_lets_it_serve(void **state)
{
    struct caller *c = start(MASTERS, at_once, 3);
    settle_within(QUIET);
    assert_string_equal(served, "000");
    assert_true(c->result == 7 && master_sleeps());
}

static s64 null_result = -1;
static void null_body(void *arg)
{
    irq_disable();
    null_result = cluster_call_remote_null(NULL);
    irq_enable();
    body(arg);
}

static void the_call_that_does_nothing_returns(void **state)
{
    thread_start(thread_create("null", 2, PRIO_NORMAL, null_body, &callers[2], NULL, false));
    settle_within(QUIET);
    assert_int_equal(null_result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_comes_first_is_served_first, setup),
        cmocka_unit_test_setup(who_comes_while_others_are_served_is_behind_them, setup),
        cmocka_unit_test_setup(who_has_arrived_by_half_keeps_its_place, setup),
        cmocka_unit_test(in_each_order_of_turns_all_are_served_as_they_came),
        cmocka_unit_test_setup(who_has_to_wait_sleeps_and_so_does_the_master, setup),
        cmocka_unit_test(nothing_is_lost_on_the_masters_way_to_sleep),
        cmocka_unit_test_setup(who_is_awake_is_not_woken, setup),
        cmocka_unit_test_setup(a_caller_on_the_masters_core_lets_it_serve, setup),
        cmocka_unit_test_setup(the_call_that_does_nothing_returns, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
