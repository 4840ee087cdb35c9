/* SPDX-License-Identifier: MIT */
/* The partition core's promises: who runs when. What follows an event: test_partition_events.c. */
#include "partition_test.h"

static void windows_follow_the_frame(void **state)
{
    boot(true);
    for (unsigned frame = 0; frame < 5; frame++) {
        assert_int_equal(running(), 0);
        pass(2 * MS);
        assert_int_equal(running(), 1);
        pass(MS);
        assert_int_equal(running(), 4); /* the most urgent of the pool */
        pass(3 * MS);
    }
    assert_int_equal(core_times[0].windows, 15);
    assert_int_equal(core_times[0].late_max, 0);
}

static void a_late_edge_is_recorded_and_does_not_add_up(void **state)
{
    boot(true);
    now += 2 * MS + 777;
    sched_alarm(now);
    assert_int_equal(running(), 1);
    assert_int_equal(core_times[0].late_max, 777);
    pass(MS - 777);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 0);
}

/* The host took the core away for longer than a window, and who owns that one sleeps without a timer. */
static void an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once(void **state)
{
    boot(true);
    pass(2 * MS);
    sched_yield(vm_of(1), true);
    pass(4 * MS);
    assert_int_equal(running(), 0);
    now += 3 * MS + 50;
    sched_alarm(now);
    assert_true(time_after_eq(now, core.window_due));
    sched_alarm(now);
    assert_int_equal(running(), 4);
    assert_int_equal(core_times[0].late, 50);
}

static void an_idle_owner_keeps_its_window_and_wakes_in_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS;
    sched_yield(vm_of(0), true);
    assert_int_equal(running(), -1); /* nobody else gets it */
    pass(MS / 2);
    assert_int_equal(running(), -1);
    pass(MS - MS / 2);
    assert_int_equal(running(), 0);
}

static void who_yields_its_window_is_done_for_it(void **state)
{
    boot(true);
    alarm_of[0] = now + MS / 2;
    sched_yield(vm_of(0), false);
    pass(2 * MS - 1);
    assert_int_equal(running(), -1);
    pass(1);
    assert_int_equal(running(), 1);
    pass(4 * MS);
    assert_int_equal(running(), 0);
}

static void yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), false); /* to the less urgent, too */
    assert_int_equal(running(), 2);
    sched_yield(vm_of(2), true);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 3);
    sched_yield(vm_of(3), false); /* nobody else */
    assert_int_equal(running(), 3);
}

static void equals_take_turns(void **state)
{
    boot(true);
    pass(3 * MS);
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 2);
    pass(6 * MS);
    assert_int_equal(running(), 3);
    pass(6 * MS);
    assert_int_equal(running(), 2);
}

static void the_urgent_one_wakes_by_its_timer_or_a_knock(void **state)
{
    boot(true);
    pass(3 * MS);
    alarm_of[4] = now + 3 * MS / 2;
    sched_yield(vm_of(4), true);
    assert_int_equal(running(), 2);
    pass(3 * MS / 2 + MS); /* a tick late at most */
    assert_int_equal(running(), 4);
    assert_int_equal(vm_of(4)->pending, VMP_PIT); /* or it would sleep again at once */
    sched_yield(vm_of(4), true);
    vm_knock(vm_of(4));
    pass(MS / 2 + 3 * MS);
    assert_int_equal(vm_of(4)->state, VM_IDLE); /* nobody looks outside of the pool's windows */
    pass(MS + 1);
    assert_int_equal(running(), 4);
}

static void a_knock_rings_where_the_vm_ran_last(void **state)
{
    boot(true);
    vm_of(3)->core = 5;
    rung = 0;
    vm_knock(vm_of(3));
    assert_int_equal(vm_of(3)->part.knock, 1);
    assert_int_equal(rung, 5 + 1);
}

/* It sleeps in the pool, and would sleep on when it has been woken. */
static void an_order_reaches_who_sleeps_in_the_pool(void **state)
{
    boot(true);
    pass(3 * MS);
    assert_int_equal(running(), 4);
    sched_yield(vm_of(4), true);
    vm_of(4)->part.order = ORDER_STOP;
    vm_knock(vm_of(4));
    for (unsigned n = 0; n < 20 && vm_of(4)->state != VM_STOPPED; n++) {
        now = core.window_due;
        sched_alarm(now);
        if (running() == 4) /* as vm_exit does at once with who has nothing to do */
            sched_yield(core.current, true);
    }
    assert_int_equal(vm_of(4)->state, VM_STOPPED);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(windows_follow_the_frame),
        T(a_late_edge_is_recorded_and_does_not_add_up),
        T(an_edge_that_comes_after_the_next_one_was_due_is_followed_at_once),
        T(an_idle_owner_keeps_its_window_and_wakes_in_it),
        T(who_yields_its_window_is_done_for_it),
        T(yielding_in_the_pool_goes_to_others_and_idling_frees_the_rest),
        T(equals_take_turns),
        T(the_urgent_one_wakes_by_its_timer_or_a_knock),
        T(a_knock_rings_where_the_vm_ran_last),
        T(an_order_reaches_who_sleeps_in_the_pool),
    };
    leave(cmocka_run_group_tests(tests, map_memory, NULL));
}
